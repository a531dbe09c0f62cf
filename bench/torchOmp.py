"""Batch-OMP in PyTorch, all examples at once: what a PyTorch user would write instead of a kernel.

    python3 torchOmp.py FOLDER P     FOLDER has G.npy, P.npy and indices.npy from `npm run bench -- gpu`

Each iteration selects the best atom of every example, extends the inverse Cholesky factors,
and computes the new correlations with one batched product of gathered Gram columns.
Prints microseconds per example, and how often it selects the same atoms as trainlets.
"""

import sys
import time

import numpy as np
import torch


def omp(G, P, sparsity):
    N, m = P.shape
    rows = torch.arange(N, device=P.device)
    taken = torch.zeros(N, sparsity, dtype=torch.long, device=P.device)
    inverse = torch.zeros(N, sparsity, sparsity, device=P.device)
    fitted = torch.zeros(N, sparsity, device=P.device)
    x = torch.zeros(N, sparsity, device=P.device)
    alpha = P
    mask = torch.zeros_like(P, dtype=torch.bool)
    for t in range(sparsity):
        atom = alpha.abs().masked_fill(mask, -1).argmax(1)
        mask[rows, atom] = True
        g = G[atom.unsqueeze(1), taken[:, :t]] if t else torch.zeros(N, 0, device=P.device)
        w = torch.einsum("nts,ns->nt", inverse[:, :t, :t], g)
        pivot = (1 - (w * w).sum(1)).clamp_min(1e-6).sqrt()
        row = -torch.einsum("nt,nts->ns", w, inverse[:, :t, :t]) / pivot.unsqueeze(1)
        inverse[:, t, :t] = row
        inverse[:, t, t] = 1 / pivot
        z = (P[rows, atom] - (w * fitted[:, :t]).sum(1)) / pivot
        fitted[:, t] = z
        taken[:, t] = atom
        x[:, : t + 1] += z.unsqueeze(1) * inverse[:, t, : t + 1]
        if t + 1 < sparsity:
            alpha = P - torch.bmm(x[:, None, : t + 1], G[taken[:, : t + 1]]).squeeze(1)
    return taken, x


def main():
    folder, sparsity = sys.argv[1], int(sys.argv[2])
    device = torch.device("cuda")
    torch.backends.cuda.matmul.allow_tf32 = False
    G = torch.from_numpy(np.load(f"{folder}/G.npy")).to(device)
    P = torch.from_numpy(np.load(f"{folder}/P.npy")).to(device)
    ours = np.load(f"{folder}/indices.npy")
    best = {}
    for batch in (64, 128, 256):  # gathered columns take batch · p · m · 4 bytes
        seconds = []
        for turn in range(3):
            torch.cuda.synchronize()
            start = time.perf_counter()
            parts = [omp(G, P[i : i + batch], sparsity) for i in range(0, len(P), batch)]
            torch.cuda.synchronize()
            seconds.append(time.perf_counter() - start)
        best[batch] = min(seconds)
    batch = min(best, key=best.get)
    taken = torch.cat([part[0] for part in parts]).cpu().numpy()
    agree = np.mean([len(set(a) & set(b)) / sparsity for a, b in zip(taken, ours)])
    print(
        f"{best[batch] / len(P) * 1e6:.1f} µs per example (batches of {batch}, "
        f"torch {torch.__version__}), {agree:.1%} of its atoms are the same"
    )


main()
