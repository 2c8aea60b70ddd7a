import { type CheckResult } from '../../agent/index.js'
import { type Proposal } from './finding.js'

/** A check in the form in which the folder's machine runs it. */
export interface SiteCheck {
  profile: string
  /** A path on that machine. */
  folder: string
  command: string
  seconds: number
  /** The limit for the start and the end of the output together. */
  outputBytes: number
  /** What was decided before it began: if true, it does not run without a sandbox; if false, it has none. */
  isConfined: boolean
  signal: AbortSignal
  /** Receives the function that reads the output so far. */
  live: (read: () => string | Promise<string>) => void
}

/** `lost`: whether it passed is unknown, because the machine is away or was restarted. */
export type SiteResult = Omit<CheckResult, 'ended'> & { ended: CheckResult['ended'] | 'lost' }

/** What a folder offers, and whether a profile's commands are confined there. */
interface SiteLook { proposals: Proposal[], isConfined: boolean }

/** The machine on which checks run: this one, or another. Folders are absolute paths there, free of symlinks. */
export interface CheckSite {
  /** Throws Unavailable (`host_unreachable`) if another machine does not answer, and the machine's refusal. */
  look (profile: string, folder: string): Promise<SiteLook>
  /** Never rejects. */
  run (check: SiteCheck): Promise<SiteResult>
  /**
   * Returns the paths of files below the folder, as clients know them, in the given order; null for a file that does not exist or is
   * outside of it. Never rejects.
   */
  pathsIn (folder: string, files: readonly string[]): Promise<Array<string | null>>
  /** Whether files of the folder differ from those at the start of a turn. Throws as `look` does. */
  hasChanged (folder: string, streamId: string): Promise<boolean>
}
