import { type feedFrames } from '../../../schemas/feed.js'
import { DomainError } from '../../ground/errors.js'
import { encodedFrames, encodeFrame, framesOf, type Subscription } from '../../ground/events/index.js'

const frame = framesOf<typeof feedFrames>()

/** A folder of a session; `path` as the client writes it. */
export interface FolderRef { sessionId: string, path: string }

/** The folders that one reader follows. Their frames hold the current state, so they need no cursor. */
export class FollowedFolders {
  readonly #subscriptions: Array<FolderRef & { subscription: Subscription }> = []
  #failures: Buffer[] = []
  #isClosed = false

  constructor (private readonly wake: () => void) {}

  /** Does not wait until the folder is found: it may be on a drive that does not respond. */
  add (folder: FolderRef, opened: Promise<Subscription>): void {
    opened.then((subscription) => {
      if (this.#isClosed) return subscription.close()
      this.#subscriptions.push({ ...folder, subscription })
      subscription.onReadable(this.wake)
      this.wake()
    }, (error: unknown) => {
      if (this.#isClosed) return
      const reason = error instanceof DomainError ? error.message : 'This folder cannot be watched'
      this.#failures.push(encodeFrame(frame('folder_unknown', { session_id: folder.sessionId, path: folder.path, error: reason })))
      this.wake()
    })
  }

  read (maxBytes: number): Buffer[] {
    const chunks = this.#failures
    this.#failures = []
    for (const { sessionId, path, subscription } of this.#subscriptions) {
      for (const chunk of subscription.read(maxBytes)) {
        for (const { event, data } of encodedFrames(chunk)) {
          const told = JSON.parse(data.toString()) as { error: string }
          chunks.push(encodeFrame(event === 'workspace_unreachable'
            ? frame('folder_unknown', { session_id: sessionId, path, error: told.error })
            : frame('folder', { session_id: sessionId, path, event: event as 'initial' | 'workspace_changed', data: told as never })))
        }
      }
    }
    return chunks
  }

  close (): void {
    this.#isClosed = true
    for (const { subscription } of this.#subscriptions) subscription.close()
  }
}
