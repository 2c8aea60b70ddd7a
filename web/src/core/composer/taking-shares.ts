import { effect, type ReadonlySignal } from '@preact/signals-core'
import { newClientId } from '../service/api.js'
import { type AttachedUpload, type Attachments } from './attachments.js'
import { type Draft } from './drafts.js'
import { type Share, type SharedStore } from '../device/shared-store.js'

export interface TakingOptions {
  store: Pick<SharedStore, 'list' | 'put' | 'remove'>
  /** Opens the message box of a new chat once the person can see it. */
  box: () => Promise<{ draft: Pick<Draft, 'giveBack'>, attachments: Pick<Attachments, 'add' | 'list'> }>
  /** Whether files can be uploaded now: the service can be reached and knows the person. */
  isOpen: ReadonlySignal<boolean>
  say: {
    /** Called with the number of files that wait for the service. */
    waiting: (files: number) => void
    leftOut: (files: Share['leftOut']) => void
    /** Called with the number of files that exceed the limit of a message. */
    tooMany: (files: number) => void
    failed: (why: string) => void
  }
}

/**
 * Puts shared text into the box of a new chat, and uploads its files when the service can be reached. Nothing is sent automatically. A
 * share stays on this device until the service has accepted or refused it, or the person removes it.
 */
export async function takeShares ({ store, box, isOpen, say }: TakingOptions): Promise<void> {
  for (const share of await store.list()) {
    const { draft } = await box()
    if (share.leftOut.length > 0) say.leftOut(share.leftOut)
    if (share.text !== '') draft.giveBack(share.text)
    if (share.files.length > 0) {
      // From here on, the draft keeps the text.
      const begun = { ...share, text: '', leftOut: [], uploadsAs: share.uploadsAs ?? newClientId() }
      await store.put(begun)
      if (!isOpen.peek()) say.waiting(share.files.length)
      await once(isOpen)
      if (!await handOver(begun, (await box()).attachments)) continue
    }
    await store.remove(share.id)
  }

  /** Uploads the files. Returns false if they have to be tried again next time. */
  async function handOver (
    { files, uploadsAs }: Share & { uploadsAs: string }, attachments: Pick<Attachments, 'add' | 'list'>
  ): Promise<boolean> {
    const before = new Set(attachments.list.peek().map(({ id }) => id))
    const { leftOut, error } = await attachments.add(files, (place) => `${uploadsAs}-${place}`)
    if (leftOut > 0) say.tooMany(leftOut)
    if (error !== null) {
      say.failed(error.message)
      return error.status >= 400 && error.status < 500
    }
    const added = attachments.list.peek().filter(({ id }) => !before.has(id))
    for (const one of added) await settled(one, attachments)
    return true
  }
}

/** Resolves once a file is uploaded, permanently refused, or removed by the person. */
async function settled (upload: AttachedUpload, { list }: Pick<Attachments, 'list'>): Promise<void> {
  await until(() => {
    const status = upload.problem.value?.status ?? 0
    return upload.state.value === 'ready' || (upload.state.value === 'failed' && status >= 400 && status < 500) ||
      !list.value.includes(upload)
  })
}

const once = async (signal: ReadonlySignal<boolean>): Promise<void> => await until(() => signal.value)

async function until (holds: () => boolean): Promise<void> {
  await new Promise<void>((resolve) => {
    let end: (() => void) | null = null
    let isOver = false
    end = effect(() => {
      if (isOver || !holds()) return
      isOver = true
      end?.()
      resolve()
    })
    if (isOver) end()
  })
}
