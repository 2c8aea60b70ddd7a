import { useState } from 'preact/hooks'
import { api } from '../app.js'
import { ApiError } from '../core/service/api.js'
import { type Approval } from '../core/conversation/prompts.js'

type Field = NonNullable<Approval['rest']>[number]['field'] & ('command' | 'content' | 'diff')

/** An approval with as much of its texts as has been loaded. */
export interface Whole {
  approval: Approval
  /** The number of characters that are missing. */
  unseen: number
  isBusy: boolean
  error: ApiError | null
  /** Whether more can be loaded. */
  hasMore: boolean
  /** Loads the full texts. */
  load: () => Promise<void>
}

interface Got { texts: Partial<Record<Field, string>>, masks: NonNullable<Approval['masks']>, next: number | null, left: number }

/** Loads the rest of an approval that was too long for its frame, on request. */
export function useWhole (asked: Approval): Whole {
  const field: Field = asked.diff !== undefined ? 'diff' : asked.content !== undefined ? 'content' : 'command'
  const rest = asked.rest?.find((one) => one.field === field)
  const [got, setGot] = useState<Got>({ texts: {}, masks: [], next: rest?.at ?? null, left: rest?.chars ?? 0 })
  const [isBusy, setBusy] = useState(false)
  const [error, setError] = useState<ApiError | null>(null)

  async function load (): Promise<void> {
    setBusy(true)
    setError(null)
    let now = got
    try {
      while (now.next !== null) {
        const page = await api.get('/api/approval/text', {
          session_id: asked.session_id, approval_id: asked.approval_id, field, at: String(now.next)
        })
        const before = (asked[field] ?? '') + (now.texts[field] ?? '')
        const masks = page.masks.map((mask) => ({ ...mask, start: mask.start + before.length, end: mask.end + before.length }))
        now = {
          texts: { [field]: (now.texts[field] ?? '') + page.text }, masks: [...now.masks, ...masks], next: page.next, left: page.left
        }
        setGot(now)
      }
    } catch (failure) {
      if (!(failure instanceof ApiError)) throw failure
      setError(failure)
    } finally {
      setBusy(false)
    }
  }

  const more = got.texts[field]
  const approval = more === undefined
    ? asked
    : { ...asked, [field]: (asked[field] ?? '') + more, masks: [...asked.masks ?? [], ...got.masks] }
  return { approval, unseen: got.left, isBusy, error, hasMore: got.next !== null, load }
}
