"""The devices that a program sees: by CUDA_VISIBLE_DEVICES, or with "rank" by what each rank chooses once torch is there."""
import os
import sys

import torch

if sys.argv[1:] == ["rank"]:
    os.environ["CUDA_VISIBLE_DEVICES"] = str(2 - int(os.environ["RANK"]))
count = torch.cuda.device_count()
seen = [torch.cuda.get_device_properties(n).pci_bus_id - 1 for n in range(count)]
try:
    x = torch.ones(100, device=f"cuda:{max(count - 1, 0)}")
    os.environ["CUDA_VISIBLE_DEVICES"] = "0"  # too late
    made = f"{x.device} of {torch.cuda.device_count()}"
except RuntimeError as error:
    made = str(error)
print(torch.cuda.is_available(), seen, made, flush=True)
