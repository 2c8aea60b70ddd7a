import { type DomainError, TooLarge, Unavailable } from '../../ground/errors.js'

/** How much a snapshot may contain and cost, and how much history is kept. */
export interface Limits {
  /** Most files in one snapshot. */
  files: number
  /** Most bytes of content in one snapshot that is not stored yet. */
  newBytes: number
  /** Larger files are left out. */
  fileBytes: number
  /** Most repositories in one workspace. */
  repositories: number
  /** How long one snapshot may take, including the wait in the queue; shorter than the agent waits for it. */
  timeMs: number
  /** Most checkpoints of one workspace. */
  checkpoints: number
  /** Most bytes of all stores together. */
  storedBytes: number
  /** How long the history of a missing workspace is kept, because its disk may only be unmounted. */
  goneS: number
}

const mebibyte = 1024 * 1024

export const usualLimits: Limits = {
  files: 20_000,
  newBytes: 200 * mebibyte,
  fileBytes: 20 * mebibyte,
  repositories: 100,
  timeMs: 15_000,
  checkpoints: 50,
  storedBytes: 1024 * mebibyte,
  goneS: 24 * 60 * 60
}

export type FailureKind =
  | 'missing_git'
  | 'too_many_files'
  | 'too_large'
  | 'too_many_repositories'
  | 'timeout'
  | 'disk_full'
  | 'gone'
  | 'blocked'
  | 'stopped'
  | 'failed'

/** Thrown if a snapshot could not be taken or read. The message is a sentence for a person. */
export class SnapshotFailed extends Error {
  constructor (readonly kind: FailureKind, limits: Limits, readonly detail = '') {
    super(sentences[kind](limits, detail))
    this.name = 'SnapshotFailed'
  }

  /** Returns the error for clients of the interface. */
  asDomainError (): DomainError {
    const { kind, message } = this
    return kind.startsWith('too_')
      ? new TooLarge(message, 'too_large')
      : new Unavailable(message, kind === 'timeout' || kind === 'missing_git' ? kind : 'git_failed')
  }
}

const sentences: Record<FailureKind, (limits: Limits, detail: string) => string> = {
  missing_git: () => 'git, which snapshots are kept with, is not installed where this service runs.',
  too_many_files: ({ files }) => `The folder holds more than ${files.toLocaleString('en')} files that are not ignored.`,
  too_large: ({ newBytes }) => `More than ${megabytes(newBytes)} in the folder would have to be stored anew.`,
  too_many_repositories: ({ repositories }) => `The folder holds more than ${repositories} repositories.`,
  timeout: ({ timeMs }) => `A snapshot of the folder would have taken longer than ${timeMs / 1_000} s.`,
  disk_full: () => 'The disk that snapshots are kept on is full.',
  gone: () => 'The folder is not there any more, or cannot be opened.',
  blocked: (_limits, detail) => `${detail} is a pipe or a device: git would wait for it for ever.`,
  stopped: () => 'The service was stopped while the snapshot was taken.',
  failed: () => 'A snapshot of the folder could not be taken; the log of the service has the details.'
}

function megabytes (sizeBytes: number): string {
  const size = sizeBytes / mebibyte
  return `${size >= 10 ? Math.round(size) : Number(size.toFixed(1))} MB`
}
