"""The probe: the run's real model code, measured or simulated. torch is imported here only, in a child process."""
