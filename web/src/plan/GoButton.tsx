import { ApiError } from '../core/service/api.js'
import { type Plan } from '../core/files/plan.js'
import { useAction } from '../side/action.js'
import { Button } from '../ui/Button.js'
import { toast } from '../ui/toasts.js'
import { screenWords } from '../words/index.js'

/** Starts the plan. If someone else has started or changed it meanwhile, that is reported and shown. */
export function GoButton ({ plan, disabled }: { plan: Plan, disabled: boolean }) {
  const action = useAction()
  const w = screenWords.value.plan
  const go = async (): Promise<void> => {
    try {
      await plan.go()
    } catch (error) {
      if (!(error instanceof ApiError)) throw error
      toast(w.refused[error.code ?? ''] ?? error.message, { kind: 'bad', about: 'plan' })
      await plan.read()
    }
  }
  const hasSteps = (plan.document.value?.steps.length ?? 0) > 0
  return (
    <Button
      kind='primary' size='small' busy={action.doing !== null} disabled={disabled || !hasSteps || plan.edit.value !== null}
      data-hint={hasSteps ? undefined : w.noSteps} onClick={() => { void action.run('go', go) }}
    >
      {w.go}
    </Button>
  )
}
