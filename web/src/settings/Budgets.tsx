import { useRef, useState } from 'preact/hooks'
import { api } from '../app.js'
import { ApiError } from '../core/service/api.js'
import { createResource } from '../core/service/resource.js'
import { places } from '../shell/places.js'
import { Link } from '../ui/Link.js'
import { attempt } from '../ui/attempt.js'
import { TextField } from '../ui/Field.js'
import { toast } from '../ui/Toast.js'
import { isLimit, limitKeys, scopes, type LimitKey, type LimitScope } from '../usage/numbers.js'
import { screenWords, words } from '../words/index.js'
import { Loaded } from '../ui/Loaded.js'
import { Part } from './Part.js'

const budgets = createResource(async () => await api.get('/api/budgets'))

/** Edits the budgets, and shows today's use. */
export function Budgets () {
  const w = screenWords.value.settings
  return (
    <>
      <p class='settings-note'>{w.budgetsNote}</p>
      <Loaded of={budgets} lines={8}>
        {({ limits: set, problems, day }) => (
          <>
            {problems.map((problem) => <p key={problem} class='provider-bad'>{problem}</p>)}
            <p>{w.usedToday(day.tokens, day.usd)} <Link href={places.usage}>{w.toUsage}</Link></p>
            <div class='settings-budgets'>
              {/* In a narrow window, each field has its label instead. */}
              <div class='settings-budget settings-budget-head' aria-hidden='true'>{limitKeys.map((limit) => <span key={limit}>{w.limits[limit]}</span>)}</div>
              {scopes.map((scope) => (
                <Part key={scope} name={`budget_${scope}`}>
                  <div class='settings-budget'>
                    {limitKeys.map((limit) => <LimitField key={limit} scope={scope} limit={limit} value={set[scope][limit]} />)}
                  </div>
                </Part>
              ))}
            </div>
          </>
        )}
      </Loaded>
    </>
  )
}

function LimitField ({ scope, limit, value }: { scope: LimitScope, limit: LimitKey, value: number | null }) {
  const text = value === null ? '' : String(value)
  /** The typed value while it differs from the current one; a refused value stays, to be corrected. */
  const [typed, setTyped] = useState<string | null>(null)
  const [problem, setProblem] = useState<string | null>(null)
  const isSaving = useRef(false)
  const w = screenWords.value.settings
  const put = async (wanted: number | null): Promise<void> => budgets.set(await api.post('/api/budgets', { [scope]: { [limit]: wanted } }))
  const save = async (): Promise<void> => {
    if (isSaving.current) return
    const wanted = typed?.trim() ?? text
    if (wanted === text) return setTyped(null)
    if (!isLimit(limit, wanted)) return setProblem(limit.endsWith('usd') ? w.needsMoney : w.needsTokens)
    isSaving.current = true
    try {
      await put(wanted === '' ? null : Number(wanted))
      setTyped(null)
      toast(w.saved(`${w.keys[`budget_${scope}`]?.[0] ?? scope}, ${w.limits[limit]}`), {
        about: `budget ${scope} ${limit}`,
        action: { text: words.value.common.undo, onPick: () => { void attempt(async () => await put(value)) } }
      })
    } catch (error) {
      if (!(error instanceof ApiError)) throw error
      setProblem(error.message)
    } finally {
      isSaving.current = false
    }
  }
  return (
    <TextField
      label={w.limits[limit]} inputMode='decimal' value={typed ?? text} error={problem}
      onValue={(next) => {
        setTyped(next)
        setProblem(null)
      }}
      onBlur={() => { void save() }}
      onKeyDown={(event) => { if (event.key === 'Enter') void save() }}
    />
  )
}
