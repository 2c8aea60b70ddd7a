import { statfs } from 'node:fs/promises'

/** Magic numbers of local file systems: ext, xfs, btrfs, tmpfs, overlay, zfs, f2fs, bcachefs. */
const localSystems = new Set([0xEF53, 0x58465342, 0x9123683E, 0x01021994, 0x794C7630, 0x2FC12FC1, 0xF2F52010, 0xCA451A4E])

/** Whether the kernel reports every change at a path: only on Linux, and not on network drives. Rejects with the system's error. */
export async function tellsChanges (path: string): Promise<boolean> {
  return process.platform === 'linux' && localSystems.has((await statfs(path)).type)
}
