"""PyTorch on a machine without a GPU, as a program with one expects it: tensors that say that they are on "cuda" live on the
CPU, and every operator of PyTorch computes there. Kernels of Triton go to the checked machine (ropewalk.triton).

    import ropewalk.cuda
    ropewalk.cuda.activate("sm_80")
"""

from . import activation

activate, deactivate, is_active = activation.activate, activation.deactivate, activation.is_active
