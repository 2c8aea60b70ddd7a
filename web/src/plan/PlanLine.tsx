import { useEffect } from 'preact/hooks'
import { link } from '../app.js'
import { ApiError } from '../core/service/api.js'
import { sideOf } from '../side/side-model.js'
import { openSide, sideTab } from '../side/open.js'
import { Button } from '../ui/Button.js'
import { screenWords } from '../words/index.js'
import { GoButton } from './GoButton.js'
import './plan.css'

/** Shows above the box that plan mode is on, or that a plan waits to be started. */
export function PlanLine ({ sessionId, isOn, isRunning }: { sessionId: string, isOn: boolean, isRunning: boolean }) {
  const { plan } = sideOf(sessionId)
  useEffect(() => {
    const read = (): void => { plan.read().catch((error: unknown) => { if (!(error instanceof ApiError)) throw error }) }
    read()
    return link.watchSession(sessionId, {
      onTurn: () => {}, onConversation: (event) => { if (event === 'plan_changed' || event === 'initial') read() }
    })
  }, [plan])
  const document = plan.document.value
  // The open plan document has these buttons itself.
  const isElsewhere = document !== null && sideTab.value !== 'plan'
  const w = screenWords.value.plan
  return (
    <div class='plan-line' role='region' aria-label={w.mode}>
      <p><strong>{w.mode}</strong> <span>{document === null ? w.modeNote : w.steps(document.title, document.steps.length)}</span></p>
      {isElsewhere ? <Button kind='quiet' size='small' onClick={() => openSide('plan')}>{w.open}</Button> : null}
      {isElsewhere && isOn ? <GoButton plan={plan} disabled={isRunning} /> : null}
    </div>
  )
}
