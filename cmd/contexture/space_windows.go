package main

import "golang.org/x/sys/windows"

// freeSpace returns the number of bytes that this user may still write to the volume of dir.
func freeSpace(dir string) (bytes int64, ok bool) {
	name, err := windows.UTF16PtrFromString(dir)
	if err != nil {
		return 0, false
	}
	var free uint64
	if err := windows.GetDiskFreeSpaceEx(name, &free, nil, nil); err != nil {
		return 0, false
	}
	return int64(free), true
}
