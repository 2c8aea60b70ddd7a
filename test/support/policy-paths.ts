import { type ResolvePath } from '../../services/agent/policy/follow.js'
import { followLinks } from '../../services/ground/files/containment.js'

/** Resolves paths as if the machine had no symlinks but those in /proc and /dev/fd: for tables of commands, which are about words. */
export const withoutLinks: ResolvePath = (path, linkOf) =>
  followLinks(path, (at) => /^\/(?:proc|dev\/fd)(?:\/|$)|^\/[^/]*[*?[]/.test(at) ? linkOf(at) : null)
