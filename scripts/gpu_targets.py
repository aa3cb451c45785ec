"""Prints the compute capabilities of this machine's GPUs, 90 for 9.0, a line each: what Meson compiles for."""

from notebook import gpus_here

if __name__ == "__main__":
    for target in dict.fromkeys(gpu.target for gpu in gpus_here.gpus()):
        print(target)
