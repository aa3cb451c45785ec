# The notebook with all that it needs, nvcc included; a GPU is used where the container is given one:
#
#     docker build --tag cuda-lab-notebook .
#     docker run --rm cuda-lab-notebook                # emulated
#     docker run --rm --gpus all cuda-lab-notebook     # on the GPU; the driver is the host's
FROM debian:13.7-slim

# The point release of the base pins the versions. The list is that of scripts/notebook/tools/toolbox.py.
# hadolint ignore=DL3008
RUN apt-get update \
    && apt-get install --yes --no-install-recommends ca-certificates python3-venv \
        pkg-config g++ libbenchmark-dev libgtest-dev gnuplot-nox git \
    && rm -rf /var/lib/apt/lists/* \
    && useradd --create-home --uid 1000 reader

COPY --chown=1000:1000 . /home/reader/notebook
USER 1000:1000
WORKDIR /home/reader/notebook
RUN scripts/lab setup
CMD ["scripts/lab", "run"]
