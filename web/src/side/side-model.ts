import { forgetOldest } from '../core/device/forget-oldest.js'
import { computed, effect, signal, type ReadonlySignal, type Signal } from '@preact/signals'
import { api, link, sessions } from '../app.js'
import { Checkpoints } from '../core/conversation/checkpoints.js'
import { FileActions } from '../core/files/file-actions.js'
import { FolderView, type ListLook, type Sorting } from '../core/files/folder-view.js'
import { FolderUploads, sendFromBrowser } from '../core/files/folder-uploads.js'
import { Edits, OpenedFile } from '../core/files/opened-file.js'
import { folderOf, visible } from '../core/files/paths.js'
import { Plan } from '../core/files/plan.js'
import { Repository } from '../core/files/repository.js'
import { Review } from '../core/files/review.js'
import { ApiError } from '../core/service/api.js'
import { announce } from '../ui/Announcer.js'
import { toast } from '../ui/toasts.js'
import { screenWords } from '../words/index.js'
import { openSide } from './open.js'
import { PullRequests } from './pulls/pull-requests.js'
import { sectionsOf, type Section, type WrittenFiles } from './sections.js'

/** The shortest time between two reads while an agent works. */
const pauseMs = 500

/** Unsaved edits of all sessions. */
export const edits = new Edits()
addEventListener('beforeunload', (event) => { if (!edits.isEmpty) event.preventDefault() })

export const look: ListLook = { sorting: signal<Sorting>({ key: 'name', descending: false }), hidden: signal(false) }

/** The state of a session's panel. It outlives the panel: open items are open again when the panel is. */
export class SideModel {
  readonly folder: FolderView
  readonly actions: FileActions
  readonly uploads: FolderUploads
  readonly repository: Repository
  readonly checkpoints: Checkpoints
  readonly pulls: PullRequests
  readonly review: Review
  readonly plan: Plan
  readonly opened = signal<OpenedFile | null>(null)
  /** The line to show in the opened file. */
  readonly line = signal<number | null>(null)
  readonly commitMessage: Signal<string> = signal('')
  /** Commit messages for single turns, by exchange. */
  readonly turnMessages = new Map<string, string>()
  /** The expanded diffs, by kind and path. */
  readonly unfolded = signal<ReadonlySet<string>>(new Set())
  /** The files that the chat has written, according to the open chat. */
  readonly written: Signal<WrittenFiles> = signal({ paths: new Set(), isComplete: false })
  readonly sections: ReadonlySignal<readonly Section[]> = computed(() => sectionsOf(this.repository.groups.value, this.written.value))
  /** Whether the commit message is still the one that the model wrote. */
  readonly isWrittenForYou = signal(false)
  #reviewers = 0
  #stopReview: () => void = () => {}
  /** The path of the row that gets the focus when the list is drawn next. */
  focusPath: string | null = null

  constructor (readonly sessionId: string) {
    const w = (): typeof screenWords.value.files => screenWords.value.files
    this.actions = new FileActions(api, sessionId)
    this.folder = new FolderView({ api, link, sessionId, look, onGone: (path) => toast(w().folderGone(visible(path))) })
    this.repository = new Repository(api, sessionId)
    this.checkpoints = new Checkpoints(api, sessionId)
    this.pulls = new PullRequests(api, sessionId)
    this.review = new Review(api, sessionId)
    this.plan = new Plan(api, sessionId)
    this.uploads = new FolderUploads({
      sessionId,
      send: sendFromBrowser(api, () => w().brokenOff),
      onDone: ({ name }) => {
        announce(w().arrived(visible(name)))
        void this.changed()
      }
    })
  }

  get row () { return sessions.row(this.sessionId) }
  /** Whether the agent is working: git and checkpoints wait meanwhile. */
  get isRunning (): boolean { return this.row?.is_streaming === true }
  get isReadOnly (): boolean { return this.row?.read_only === true || this.repository.readOnly.value }

  /** Rereads everything that a change made here affects. */
  async changed (): Promise<void> {
    void this.repository.look()
    await this.folder.refresh()
  }

  /** Shows or hides a diff of the list of changes. */
  unfold (id: string, isOpen: boolean): void {
    const next = new Set(this.unfolded.peek())
    if (isOpen) next.add(id)
    else next.delete(id)
    this.unfolded.value = next
  }

  open (path: string, line: number | null = null): void {
    const before = this.opened.peek()
    this.line.value = line
    if (before?.path !== path) {
      const next = new OpenedFile({ api, sessionId: this.sessionId, path, edits, onSaved: () => { void this.changed() } })
      this.opened.value = next
      void next.load()
    }
    openSide('preview')
  }

  /** Opens a link in a text, relative to its file or to the workspace. A stable function. */
  readonly openNamed = (path: string, line: number | null): void => this.open(path.replace(/^\.\//, ''), line)

  /** Follows the opened file when it is renamed or deleted. */
  follow (from: string, to: string | null): void {
    const path = this.opened.peek()?.path
    if (to === null) edits.forget(this.sessionId, from)
    else edits.moved(this.sessionId, from, to)
    if (path === undefined || (path !== from && !path.startsWith(`${from}/`))) return
    this.opened.value = null
    if (to === null) return
    const next = new OpenedFile({
      api, sessionId: this.sessionId, path: to + path.slice(from.length), edits, onSaved: () => { void this.changed() }
    })
    this.opened.value = next
    void next.load()
  }

  /** Watches the folder until the returned function is called. */
  attend (): () => void {
    let timer: ReturnType<typeof setTimeout> | null = null
    const soon = (): void => {
      timer ??= setTimeout(() => {
        timer = null
        if (document.visibilityState !== 'visible') return
        void this.changed()
        if (this.review.comments.peek().length + this.review.seen.peek().size > 0) this.#readReview()
        if (this.checkpoints.list.value.peek() !== undefined) void this.checkpoints.list.refresh()
      }, pauseMs)
    }
    const stops = [
      this.folder.attend(),
      this.folder.onRead(() => { void this.repository.look() }),
      link.watchSession(this.sessionId, {
        onTurn: (_, __, { event }) => {
          if (event === 'tool_complete' || event === 'stream_end' || event === 'cancel' || event === 'apperror') soon()
        },
        onConversation: (event) => {
          if (event === 'plan_changed' || event === 'initial') this.#readPlan()
        }
      }),
      link.onFrame((frame) => {
        if (frame.event === 'pull' && frame.data.session_id === this.sessionId) void this.pulls.look()
      }),
      this.attendReview(),
      effect(() => this.#offerOwn()),
      effect(() => this.#watchOpened())
    ]
    document.addEventListener('visibilitychange', soon)
    void this.changed()
    this.#readPlan()
    return () => {
      if (timer !== null) clearTimeout(timer)
      document.removeEventListener('visibilitychange', soon)
      for (const stop of stops) stop()
    }
  }

  /** Keeps the review up to date until the returned function is called. The panel and a card of the chat share one watcher. */
  attendReview (): () => void {
    if (this.#reviewers++ === 0) {
      this.#stopReview = link.watchSession(this.sessionId, {
        // A file loses its mark as seen when it changes.
        onTurn: (_, __, { event }) => { if (event === 'stream_end' && this.review.seen.peek().size > 0) this.#readReview() },
        onConversation: (event) => { if (event === 'reviews_changed' || event === 'initial') this.#readReview() }
      })
      this.#readReview()
    }
    return () => { if (--this.#reviewers === 0) this.#stopReview() }
  }

  /** Reads the review. On failure the last answer stays; the panel shows elsewhere that the service cannot be reached. */
  #readReview (): void {
    this.review.read().catch((error: unknown) => { if (!(error instanceof ApiError)) throw error })
  }

  #readPlan (): void {
    this.plan.read().catch((error: unknown) => { if (!(error instanceof ApiError)) throw error })
  }

  /** Selects the changes of this chat for the next commit, unless someone has staged other changes. */
  #offerOwn (): void {
    const own = this.sections.value.find(({ key }) => key === 'chat')
    if (own !== undefined && this.repository.status.value?.totals.staged === 0) this.repository.offer(own.files.map(({ path }) => path))
  }

  #watchOpened (): (() => void) | undefined {
    const opened = this.opened.value
    if (opened === null) return
    return link.watchFolder(this.sessionId, folderOf(opened.path), () => { void opened.news() })
  }
}

const models = new Map<string, SideModel>()
/** For how many chats at most the state of the panel is kept. */
const mostModels = 12

/** Returns the model of a session, always the same one. */
export function sideOf (sessionId: string): SideModel {
  const known = models.get(sessionId)
  const model = known ?? new SideModel(sessionId)
  models.delete(sessionId)
  models.set(sessionId, model)
  forgetOldest(models, mostModels)
  return model
}

/** Shows a file of a session's folder in the panel, such as one that an answer names. */
export function openFile (sessionId: string, path: string, line: number | null = null): void {
  sideOf(sessionId).open(path, line)
}
