"""What a kernel becomes on a GPU."""

from __future__ import annotations

from accshare.device import Device
from accshare.mapping.gpu.bands import with_bands
from accshare.mapping.gpu.banks import place
from accshare.mapping.gpu.coarsening import coarsened, resized, settled
from accshare.mapping.gpu.constants import with_constants
from accshare.mapping.gpu.few import with_small_sizes
from accshare.mapping.gpu.judge import fastest
from accshare.mapping.gpu.partition import policy_of
from accshare.mapping.gpu.superpose import superposed
from accshare.mapping.ir import Partition, Plan
from accshare.mapping.staging import partition
from accshare.mapping.staging.chosen import without_refused
from accshare.options import Options, Share
from accshare.records import replace
from accshare.schedule.ir import Schedule


def map_to_gpu(schedule: Schedule, device: Device, options: Options) -> Plan:
    """Tables of constants become code. Then SHARE's road: tiles and what is staged, where it lies in the banks of local
    memory, several iterations a work-item; with what takes least time of that. Then SUPER's: kernels whose work-items
    share an inner loop instead, and other sizes for small launches. Last, steps in bands."""
    schedule = with_constants(schedule, options)
    cut = partition(schedule, device, policy_of(device), options)
    options = without_refused(cut, options)
    plan = _planned(cut, options)
    if options.share is Share.AUTO and any(nest.staged for nest in cut.nests):
        bare = replace(options, share=Share.OFF)
        plan = fastest(plan, _planned(partition(schedule, device, policy_of(device), bare), bare), options)
    return with_bands(with_small_sizes(superposed(plan, options), options), options)


def _planned(cut: Partition, options: Options) -> Plan:
    """A partition with places in local memory and iterations of work-items. These change tiles, which are then placed
    once more; there is no third time, as what that finds only decides whether the new sizes are taken."""
    placed = place(cut, options)
    chosen = coarsened(placed, options)
    cut_anew = resized(cut, chosen)
    anew = placed if cut_anew is cut else place(cut_anew, options)
    return settled(placed, anew, chosen, options)
