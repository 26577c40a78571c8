"""``accshare tune``: measures other sizes than the compiler's own, and keeps the best for later builds."""
