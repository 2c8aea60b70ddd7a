import { type Reason } from '../../../reasons/index.js'
import { type ResolvePath } from './follow.js'
import { type Look } from './git/look.js'
import { type Lands } from './boundaries.js'

/** What decides about a call besides the call itself. */
export interface PolicyContext extends Lands {
  /** Keys that are already allowed, by name or by a pattern with `*` (`cmd:npm *`). */
  grants: ReadonlySet<string>
  /** Keys or patterns with `*` that the operator never allows, not even with yolo. Default: none. */
  denied?: readonly string[]
  yolo: boolean
  /** Whether the turn is in plan mode: calls not known to change nothing are refused, even if they were allowed. Default: false. */
  planning?: boolean
  /** Whether a person can be asked. */
  attended: boolean
  /**
   * Whether commands can run in a sandbox. There they write only to the workspace and to a /tmp of their own, have no network, and see
   * neither home folders nor the service's state. Default: false.
   */
  sandboxed?: boolean
  /**
   * `container`: the container limits commands instead (`sandboxed` is true too). They have its network, and share its /tmp.
   * Default: a sandbox of their own.
   */
  limitedBy?: 'container' | undefined
  /**
   * Files and settings in the workspace that git would run and that a command in the sandbox left there. While this list is not empty, a
   * command outside the sandbox needs permission, despite grants and yolo. Default: none.
   */
  suspects?: readonly Reason[]
  /** Follows symlinks, even in paths whose end does not exist. Default: followLinks. */
  resolvePath?: ResolvePath
  /** Looks at the file system to find out which addresses git contacts. Default: lookThere. */
  look?: Look
}
