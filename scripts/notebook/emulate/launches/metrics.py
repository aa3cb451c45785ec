"""Our names of counts, and Nsight Compute's for the same (compute capability 7.0 and later)."""

from notebook.data.metrics import NSIGHT

_L1 = "l1tex__"
_SPACES = {"global": "global", "local": "local", "shared": "shared"}
_KINDS = {"load": "ld", "store": "st", "atomic": "atom", "reduction": "red"}

# Metrics of a whole launch: the names of the data format, and what only a report has.
OF_A_LAUNCH = NSIGHT | {
    "nvprof_gld_efficiency": "(nvprof: gld_efficiency)",
    "nvprof_gst_efficiency": "(nvprof: gst_efficiency)",
    "l2_read_sectors_least": "lts__t_sectors_srcunit_tex_op_read.sum",
    "l2_read_sectors_most": "lts__t_sectors_srcunit_tex_op_read.sum",
    "l2_write_sectors_least": "lts__t_sectors_srcunit_tex_op_write.sum",
    "l2_write_sectors_most": "lts__t_sectors_srcunit_tex_op_write.sum",
    "atomic_requests": f"{_L1}t_requests_pipe_lsu_mem_global_op_atom.sum",
    "atomic_sectors": f"{_L1}t_sectors_pipe_lsu_mem_global_op_atom.sum",
    "reduction_requests": f"{_L1}t_requests_pipe_lsu_mem_global_op_red.sum",
    "reduction_sectors": f"{_L1}t_sectors_pipe_lsu_mem_global_op_red.sum",
    "local_load_requests": f"{_L1}t_requests_pipe_lsu_mem_local_op_ld.sum",
    "local_load_sectors": f"{_L1}t_sectors_pipe_lsu_mem_local_op_ld.sum",
    "local_store_requests": f"{_L1}t_requests_pipe_lsu_mem_local_op_st.sum",
    "local_store_sectors": f"{_L1}t_sectors_pipe_lsu_mem_local_op_st.sum",
    "shared_atomic_requests": "smsp__sass_inst_executed_op_shared_atom.sum",
    "shared_atomic_wavefronts": f"{_L1}data_pipe_lsu_wavefronts_mem_shared_op_atom.sum",
    "matrix_load_requests": "smsp__sass_inst_executed_op_ldsm.sum",
    "matrix_store_requests": "smsp__sass_inst_executed_op_shared_stsm.sum",
    "tensor_instructions": "sm__inst_executed_pipe_tensor.sum",
    "texture_load_requests": f"{_L1}t_requests_pipe_tex_mem_texture.sum",
    "texture_load_sectors": f"{_L1}t_sectors_pipe_tex_mem_texture.sum",
    "warp_instructions": "smsp__inst_executed.sum",
    "thread_instructions": "smsp__thread_inst_executed.sum",
    "branches": "smsp__sass_branch_targets.sum",
    "divergent_branches": "smsp__sass_branch_targets_threads_divergent.sum",
}

# Metrics of a line of code: what the instruction metrics and the source page of Nsight Compute show.
OF_A_LINE = {
    "warp_instructions": "smsp__inst_executed.sum",
    "thread_instructions": "smsp__thread_inst_executed.sum",
    "divergent_branches": "smsp__sass_branch_targets_threads_divergent.sum",
}

LEGEND = (
    "requests            l1tex__t_requests_pipe_lsu_mem_{global,local}_op_{ld,st,atom,red}.sum",
    "sectors             l1tex__t_sectors_pipe_lsu_mem_{global,local}_op_{ld,st,atom,red}.sum",
    "used                smsp__sass_average_data_bytes_per_sector_mem_global_op_{ld,st}.pct",
    "L1 hits             l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_hit.sum, of sectors",
    "wavefronts          l1tex__data_pipe_lsu_wavefronts_mem_shared_op_{ld,st}.sum",
    "conflicts           l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_{ld,st}.sum",
    "instr.              smsp__inst_executed.sum",
    "lanes               smsp__thread_inst_executed_per_inst_executed.ratio",
    "divergent           smsp__sass_branch_targets_threads_divergent.sum",
)


def of_a_site(space: str, kind: str) -> dict[str, str]:
    """The counts of one memory instruction; "" where Nsight Compute has no metric for it."""
    mem, op = _SPACES.get(space, ""), _KINDS.get(kind, "")
    if not mem or not op:
        return dict.fromkeys(("requests", "sectors", "efficiency", "l1_hit_sectors"), "")
    if space == "shared":
        banks = f"{_L1}data_bank_conflicts_pipe_lsu_mem_shared_op_{op}.sum"
        return {
            "requests": f"smsp__sass_inst_executed_op_shared_{op}.sum",
            "wavefronts": f"{_L1}data_pipe_lsu_wavefronts_mem_shared_op_{op}.sum",
            "bank_conflicts": banks,
        }
    tag = f"pipe_lsu_mem_{mem}_op_{op}"
    return {
        "requests": f"{_L1}t_requests_{tag}.sum",
        "sectors": f"{_L1}t_sectors_{tag}.sum",
        "efficiency": f"smsp__sass_average_data_bytes_per_sector_mem_{mem}_op_{op}.pct",
        "l1_hit_sectors": f"{_L1}t_sectors_{tag}_lookup_hit.sum",
    }
