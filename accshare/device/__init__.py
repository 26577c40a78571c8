"""Device models: what the compiler knows about the machine a kernel runs on."""

from accshare.device.model import Device, DeviceKind
from accshare.device.native import NATIVE, HostMachine, native_models
from accshare.device.presets import PRESETS, preset

__all__ = ["NATIVE", "PRESETS", "Device", "DeviceKind", "HostMachine", "native_models", "preset"]
