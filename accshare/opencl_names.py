"""C identifiers that are also fit for OpenCL C."""

from __future__ import annotations

import re
from collections.abc import Collection

_WORDS = """
kernel global local constant private generic pipe uniform read_only write_only read_write half quad complex imaginary
bool uchar ushort uint ulong size_t ptrdiff_t intptr_t uintptr_t event_t sampler_t queue_t ndrange_t clk_event_t
reserve_id_t cl_mem_fence_flags memory_order memory_scope
min max clamp mix step smoothstep select any all dot cross length distance normalize sign degrees radians bitselect
fast_length fast_distance fast_normalize mad mad24 mad_hi mad_sat mul24 mul_hi add_sat sub_sat hadd rhadd abs_diff clz
ctz popcount rotate upsample shuffle shuffle2 vec_step barrier mem_fence read_mem_fence write_mem_fence prefetch
async_work_group_copy async_work_group_strided_copy wait_group_events work_group_barrier printf
abs acos acosh acospi asin asinh asinpi atan atan2 atanh atanpi atan2pi cbrt ceil copysign cos cosh cospi erf erfc exp
exp2 exp10 expm1 fabs fdim floor fma fmax fmin fmod fract frexp hypot ilogb ldexp lgamma lgamma_r log log2 log10 log1p
logb maxmag minmag modf nan nextafter pow pown powr remainder remquo rint rootn round rsqrt sin sincos sinh sinpi sqrt
tan tanh tanpi tgamma trunc isequal isnotequal isgreater isgreaterequal isless islessequal islessgreater isfinite
isinf isnan isnormal isordered isunordered signbit
get_work_dim get_global_size get_global_id get_local_size get_local_id get_num_groups get_group_id get_global_offset
get_global_linear_id get_local_linear_id get_sub_group_size get_sub_group_id get_sub_group_local_id floord
NAN INFINITY HUGE_VAL HUGE_VALF MAXFLOAT M_PI M_E true false NULL
"""
_RESERVED = frozenset(_WORDS.split())
_FAMILIES = re.compile(
    r"(?:u?char|u?short|u?int|u?long|float|double|half|bool)(?:2|3|4|8|16)"
    r"|(?:as|convert|vload|vstore|vloada|vstorea|atomic|atom|native|half|image\dd|read_image|write_image|get_image"
    r"|sub_group|work_group)_?\w*|vload\d+|vstore\d+|image\dd\w*|CLK_\w+|cl_\w+|__\w+"
)
#: what code generation calls the variables it adds to a kernel
_GENERATED = re.compile(r"\w+_(?:sum|part|parts|lane|at|tile|first|0|partials|group|groups)|c_\d+")


def is_reserved(name: str) -> bool:
    """Whether OpenCL C, or the code around a kernel, means something by a name."""
    return name in _RESERVED or _FAMILIES.fullmatch(name) is not None


def safe_member(name: str) -> str:
    """A struct member's name, changed where it is an OpenCL C word, and then unlike any other member's."""
    return f"{name}_" if is_reserved(name.rstrip("_")) else name


def safe(name: str, taken: Collection[str] = ()) -> str:
    """`name`, changed as little as possible so that it is no OpenCL C word and not in `taken`."""
    if is_reserved(name):
        name += "_"
    unique, number = name, 0
    while unique in taken:
        number += 1
        unique = f"{name}_{number}"
    return unique


def safe_variable(name: str, taken: Collection[str] = ()) -> str:
    """The same for a variable, which must not hide one that a kernel gets besides the user's."""
    return safe(f"{name}_" if _GENERATED.fullmatch(name) else name, taken)
