// The shared library is rw_driver and what it needs.
