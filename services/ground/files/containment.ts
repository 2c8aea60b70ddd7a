import { lstatSync, readlinkSync } from 'node:fs'
import { type FileHandle, readlink, realpath, stat } from 'node:fs/promises'
import { dirname, isAbsolute } from 'node:path'

/** Thrown for a path that leads through more symlinks than the kernel follows, or through more folders than any real path has. */
export class LinkLoop extends Error {
  override name = 'LinkLoop'
}

/** How many symlinks one path may pass through; the kernel's own limit. */
const maxLinks = 40
/** How many segments are followed. Each costs a file-system lookup; a path itself holds at most half as many. */
const maxSegments = 4_096

/** Whether `child` is `parent` or lies below it. Both must be absolute and resolved. */
export function within (parent: string, child: string): boolean {
  return child === parent || child.startsWith(parent === '/' ? '/' : `${parent}/`)
}

/**
 * Returns where an absolute path leads after all symlinks are followed, even if its end does not exist yet. As for the kernel, `..` means
 * the parent of what the path has reached so far, so `link/..` is not simply dropped. A dangling symlink resolves to its target. Throws
 * LinkLoop.
 */
export function realPath (path: string): string {
  return followLinks(path, linkTarget)
}

/**
 * Does the same as `realPath`, for callers that watch or cache the file-system lookups.
 * @param linkOf returns what stands at a path, called from the outermost folder inwards; see linkTarget
 */
export function followLinks (path: string, linkOf: (path: string) => string | null | undefined): string {
  const pending = path.split('/').reverse()
  let reached = '/'
  let links = 0
  /** Set if this path does not exist, so nothing below it does either. */
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

/** Returns the target of a symlink, null for anything else, or undefined if nothing exists there. */
export function linkTarget (path: string): string | null | undefined {
  try {
    const found = lstatSync(path, { throwIfNoEntry: false })
    if (found === undefined) return undefined
    return found.isSymbolicLink() ? readlinkSync(path) : null
  } catch {
    return null // unreadable: the rest of the path is taken as written
  }
}

/**
 * Whether an opened file lies in `root`, whatever its path meant a moment before. `real` is the path that it was opened by; it is used only
 * if the system does not tell the path of a descriptor. Rejects if `real` no longer exists then.
 */
export async function isOpenedWithin (root: string, handle: FileHandle, real: string): Promise<boolean> {
  const opened = await readlink(`/proc/self/fd/${handle.fd}`).catch(() => null)
  if (opened !== null) return within(root, opened)
  const again = await realpath(real)
  const [have, want] = await Promise.all([handle.stat(), stat(again)])
  return within(root, again) && have.ino === want.ino && have.dev === want.dev
}

/**
 * Returns a path that keeps meaning the opened folder, even if another program renames the folder or replaces it with a symlink. Only Linux
 * offers this; elsewhere the plain path `real` is returned.
 */
export async function pathOfOpened (handle: FileHandle, real: string): Promise<string> {
  const viaDescriptor = `/proc/self/fd/${handle.fd}`
  // The trailing slash makes the system follow the magic link.
  const works = await stat(`${viaDescriptor}/`).then((found) => found.isDirectory(), () => false)
  return works ? viaDescriptor : real
}
