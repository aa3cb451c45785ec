// A loop of the host initialises an array of the GPU through a pointer in a structure.
// expect: host code dereferences 0x
// expect: byte 0 of an allocation of 4096 bytes
// expect: copy it with cudaMemcpy, or use cudaMallocManaged
// expect: signal SIGSEGV
// exit: 1
struct Matrix {
    int rows, columns;
    float* values;
};

int main() {
    Matrix matrix{32, 32, nullptr};
    cudaMalloc(&matrix.values, 4096);
    for (int i = 0; i < matrix.rows * matrix.columns; i++) matrix.values[i] = 1;
    return cudaFree(matrix.values);
}
