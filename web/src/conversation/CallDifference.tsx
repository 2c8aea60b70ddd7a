import { useEffect } from 'preact/hooks'
import { pathThere } from '../core/machines/location.js'
import { below } from '../core/turn/turn-files.js'
import { sideTab } from '../side/open.js'
import { ReviewBar, reviewing } from '../side/Reviewing.js'
import { sideOf, type SideModel } from '../side/side-model.js'
import '../side/side.css'
import { DiffView } from '../ui/DiffView.js'
import { openChat } from './open-chat.js'

interface CallDifferenceProps {
  diff: string
  truncated: boolean
  /** The file as the call names it; null if it names none. */
  file: string | null
  call: string
}

/** Shows the changes of a call, planned or made. Lines of files in the workspace take comments, which join the session's review. */
export function CallDifference ({ diff, truncated, file, call }: CallDifferenceProps) {
  const conversation = openChat.value?.conversation
  const sessionId = conversation?.sessionId.value ?? null
  const path = file === null ? null : below(file, pathThere(conversation?.session.value?.workspace ?? ''))
  return sessionId === null || path === null
    ? <DiffView diff={diff} truncated={truncated} />
    : <ReviewedDifference model={sideOf(sessionId)} diff={diff} truncated={truncated} path={path} call={call} />
}

function ReviewedDifference ({ model, diff, truncated, path, call }: Omit<CallDifferenceProps, 'file'> & { model: SideModel, path: string }) {
  useEffect(() => model.attendReview(), [model])
  const hasDraft = model.review.drafts.value.some((draft) => draft.path === path)
  return (
    <>
      {/* Later calls may have changed the file again. */}
      <DiffView diff={diff} truncated={truncated} {...reviewing(model, () => path, true, `call ${call}`)} />
      {hasDraft && sideTab.value !== 'changes' && sideTab.value !== 'checkpoints' ? <ReviewBar model={model} isAgain /> : null}
    </>
  )
}
