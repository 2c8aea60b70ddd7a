import { lstatSync, readlinkSync } from 'node:fs'
import { type FileHandle, readlink, realpath, stat } from 'node:fs/promises'
import { dirname, isAbsolute } from 'node:path'

/** A path that leads through more symlinks than the kernel follows, or through longer ones than anybody means. */
export class LinkLoop extends Error {
  override name = 'LinkLoop'
}

/** How many symlinks one path may pass through; the kernel's own limit. */
const maxLinks = 40
/** Every one is a look at the disk; a path itself holds at most half as many. */
const maxSegments = 4_096

/** True when `child` is `parent` or lies below it. Both absolute and already resolved. */
export function within (parent: string, child: string): boolean {
  return child === parent || child.startsWith(parent === '/' ? '/' : `${parent}/`)
}

/**
 * Where an absolute path leads once every symlink is followed, also when its end does not exist yet. `..` means the
 * parent of what the path has reached so far, as it does for the kernel, so `link/..` is not simply dropped. A
 * dangling symlink resolves to what it points at. Throws LinkLoop.
 */
export function realPath (path: string): string {
  return followLinks(path, linkTarget)
}

/**
 * As `realPath`, for who wants to know of each look at the disk, or to save it.
 *
 * @param linkOf what stands in one place, asked from the outside in; see linkTarget
 */
export function followLinks (path: string, linkOf: (path: string) => string | null | undefined): string {
  const pending = path.split('/').reverse()
  let reached = '/'
  let links = 0
  /** Nothing is there, so nothing is below it. */
  let missing: string | null = null
  for (let segments = 0; pending.length > 0; segments++) {
    if (segments > maxSegments) throw new LinkLoop(`${path} leads through too many folders`)
    const segment = pending.pop()
    if (segment === undefined || segment === '' || segment === '.') continue
    if (segment === '..') {
      reached = dirname(reached)
      if (missing !== null && !within(missing, reached)) missing = null
      continue
    }
    const next: string = reached === '/' ? `/${segment}` : `${reached}/${segment}`
    const target = missing === null ? linkOf(next) : null
    if (target === undefined) missing = next
    if (target === null || target === undefined) {
      reached = next
      continue
    }
    if (++links > maxLinks) throw new LinkLoop(`${path} goes through a loop of symbolic links`)
    pending.push(...target.split('/').reverse())
    if (isAbsolute(target)) reached = '/'
  }
  return reached
}

/** Where a symlink points; null for anything else, undefined when nothing is there. */
export function linkTarget (path: string): string | null | undefined {
  try {
    const found = lstatSync(path, { throwIfNoEntry: false })
    if (found === undefined) return undefined
    return found.isSymbolicLink() ? readlinkSync(path) : null
  } catch {
    return null // unreadable: what follows is taken as written
  }
}

/**
 * Whether what was opened lies in `root`, whatever the path that led to it meant a moment before. `real` is the path it
 * was opened by; it counts only where the system does not tell the path of a descriptor. Rejects when `real` is gone then.
 */
export async function isOpenedWithin (root: string, handle: FileHandle, real: string): Promise<boolean> {
  const opened = await readlink(`/proc/self/fd/${handle.fd}`).catch(() => null)
  if (opened !== null) return within(root, opened)
  const again = await realpath(real)
  const [have, want] = await Promise.all([handle.stat(), stat(again)])
  return within(root, again) && have.ino === want.ino && have.dev === want.dev
}

/**
 * A path that keeps meaning the folder that was opened, even if somebody renames it or puts a symlink in its place
 * meanwhile. Elsewhere than on Linux the plain path `real` has to do.
 */
export async function pathOfOpened (handle: FileHandle, real: string): Promise<string> {
  const viaDescriptor = `/proc/self/fd/${handle.fd}`
  // The trailing slash makes the magic link be followed.
  const works = await stat(`${viaDescriptor}/`).then((found) => found.isDirectory(), () => false)
  return works ? viaDescriptor : real
}
