import { type CheckResult } from '../../agent/index.js'
import { type Proposal } from './finding.js'

/** A check as the machine of its folder runs it. */
export interface SiteCheck {
  profile: string
  /** A path of that machine. */
  folder: string
  command: string
  seconds: number
  /** Of the start and the end of the output together. */
  outputBytes: number
  /** As was said before it began: with true it does not run where there is no sandbox any more, with false it has none. */
  isConfined: boolean
  signal: AbortSignal
  /** Gets what reads the output so far. */
  live: (read: () => string | Promise<string>) => void
}

/** `lost`: whether it passed is not known, because the machine is away, or was started anew. */
export type SiteResult = Omit<CheckResult, 'ended'> & { ended: CheckResult['ended'] | 'lost' }

/** What a folder offers, and whether commands of a profile are confined there. */
export interface SiteLook { proposals: Proposal[], isConfined: boolean }

/** The machine on which checks run: this one, or another. Folders are absolute paths there, free of symlinks. */
export interface CheckSite {
  /** Throws Unavailable (`host_unreachable`) where another machine does not answer, and what it refuses with. */
  look (profile: string, folder: string): Promise<SiteLook>
  /** Never rejects. */
  run (check: SiteCheck): Promise<SiteResult>
  /**
   * The paths of files below the folder, as clients know them, in the order in which they were asked for; null: it is not there, or not
   * in it. Never rejects.
   */
  pathsIn (folder: string, files: readonly string[]): Promise<Array<string | null>>
  /** Whether files of the folder are others than when a turn began. Throws as `look` does. */
  hasChanged (folder: string, streamId: string): Promise<boolean>
}
