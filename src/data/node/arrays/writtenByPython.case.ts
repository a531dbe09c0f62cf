/**
 * Small files written by other software, for tests: deflated, as base64.
 *
 * `tiny.h5` and `tiny73.mat` are written by h5py 3.16 (HDF5 2.0), the latter with the first 512 bytes and the attribute of a
 * Matlab 7.3 file; `tiny.mat` by scipy.io.savemat of scipy 1.17, compressed.
 */

export const files = {
  "tiny.h5":
    "eNrr9HBx4+WS4mLm4GCAgf9QkCoB4RtAxc9MFXvq7+ESxMRQwSSErBAGuJgYGBkY2AQYgBRrelF+acFmqFY2fpAYS0ZiTtoBJhSh" +
    "vPyS1DPMUGVyDASAauRtY2KcwAMymzHCjBGqz4OBauDuCcfDYCcALWBUYWBgYmJkhLmfBUpj8HkYGAU4gWrBPAEGVqArmbm5xRgY" +
    "mZhADmYEyzCCIUgPB9BvQDXMjEzMTMxcTtAQY+hjGGSgxK3azs3Rw4WBUYQL5tc4qGtlNY+ed3N0cWJghLsfmsREkEwQwSKmARUT" +
    "RhKzhorxIYm5NnTcQo8JJrQYQOczizAwCirww2OCi5WBC5gQITHCBQp3ZkZPqF08MIsWMAx64HeYJRMeFiwQf4P8KsnICPQlAxgz" +
    "QiMB7FcmiF9DoX4VgBl0gGHIA62GVnmGUTAKRgFBUBFX/fnhaXm2Z10s/Jxt4gx6T1k/VMT9PnjgwLkDCQcOFDQ2MjLwVwOr27jH" +
    "z8TTEhJubFzA7MHEwN3MxFcRJ5zO0MhkwMnAfIChg8GC4cD/agYbBgcGJ1BVkAotWECFjruzvw8jUinDiFY9lqRWlCA76gb/aMSM" +
    "glEwCkbBKBgFo2AUjIJRMApGwSgYBUMNAABp13YV",
  "tiny73.mat":
    "eNrzdQzxcXRSMNczVvB1DNFNy8xJVaAXYGDy9GUYBQMKOj1c3Hi5pLiYOTgYGJggYv+hwIALwjeAql3yYc1ffw+XICaGCiYhZIUw" +
    "wMXEwMjAwMbDAKQYIzbD7PCgnnM5f5xsBTsBaAGjCtDFTIyMzFA5qOsZMPgiDIyCCvYMHGCeA4MJN4PJf6AiVqBrmbk4gD5hZoRK" +
    "wr0qKsTAguk/Hg2Q6bxAxUBJX3DOiU/OSSwuZhAG+RtqZ0p+aVJOKkMcraPuF3+X8GgCHgWjYBSMglFABXDDHkIfgNIPoPQFKP3E" +
    "HgC9p1hS",
  "tiny.mat":
    "eNrzdQzxcXRSMNUzUPB1DNFNy8xJVQjISSxJyy/KtVIoyC/OrNBRcC5KTSxJTVHIz7NS8M3PU/DLL1MwNFMwNLYyMbEyNlYwMjAy" +
    "YyADMHr68gMpkN6KOY+TExI8GJLMFJ41XFI4wPXUmNHQWMCYKZFlwjOWJGa2koLDck7yDZf4F3xh1fh7RI5h+1q2fpBuY7juArBu" +
    "hiQ9No6E1k8zG2dwdkg2GvCfes74aP/////TU358l1c6fYCBofw72yeQVm+41hmMR3IczjAudWwQPZXOliSmkNbSNTX9yfMlTJl+" +
    "Cn4JDuxMfAJRjF71G9ovKAXsE5qS1nBJKCCK1avYIVNSY+0zBobEz+w/QEZqwY00gLpGDOwayYVJPQ5G+obmoQwe05eETWFg0Chl" +
    "fgTSoQHXsQHZ94cMhZ2jDJmZ1UNkeGS+WTMwaLszTQMAq698Ug==",
} as const;
