import { type Reason } from '../../../reasons/index.js'
import { type ResolvePath } from './follow.js'
import { type Look } from './git/look.js'
import { type Lands } from './territory.js'

/** What decides about a call besides the call itself. */
export interface PolicyContext extends Lands {
  /** Keys that are already allowed, by name or by a pattern with `*` (`cmd:npm *`). */
  grants: ReadonlySet<string>
  /** Keys or patterns with `*` that the operator never allows, not even with yolo. Default: none. */
  denied?: readonly string[]
  yolo: boolean
  /** The turn is in plan mode: whatever is not known to change nothing is refused, whoever has allowed it. Default: false. */
  planning?: boolean
  /** Somebody is there to be asked. */
  attended: boolean
  /**
   * Commands can be run in a sandbox. There they write only inside the workspace and a /tmp of their own, have no network,
   * and see neither home folders nor the service's state. Default: false.
   */
  sandboxed?: boolean
  /**
   * `container`: it is the container that limits commands instead (`sandboxed` is true as well). They have its network, and share its /tmp.
   * Default: a sandbox of their own.
   */
  limitedBy?: 'container' | undefined
  /**
   * What was found in the workspace that git would run, and that came from a command in the sandbox. While
   * there is any, a command outside the sandbox asks whatever is granted, and with yolo. Default: none.
   */
  suspects?: readonly Reason[]
  /** Follows symlinks, also in paths whose end does not exist. Default: followLinks. */
  resolvePath?: ResolvePath
  /** Looks at the file system for where git goes. Default: lookThere. */
  look?: Look
}
