// kind: memory
// hazard: an allocation is freed twice
// flags: --check-hazards
// exit: 1
// expect: freed
int main() {
    int* a;
    cudaMalloc(&a, 256);
    cudaFree(a);
    cudaFree(a);
}
