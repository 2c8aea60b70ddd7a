import { useEffect, useState } from 'preact/hooks'
import { Link } from 'wouter-preact'
import { api } from '../app.js'
import { createResource } from '../core/resource.js'
import { places } from '../shell/places.js'
import { attempt } from '../ui/attempt.js'
import { TextField } from '../ui/Field.js'
import { toast } from '../ui/Toast.js'
import { screenWords, words } from '../words/index.js'
import { parseTyped } from './fields.js'
import { Loaded } from './Loaded.js'

const budgets = createResource(async () => await api.get('/api/budgets'))
const scopes = ['turn', 'session', 'job', 'day'] as const
const limits = ['soft_usd', 'hard_usd', 'soft_tokens', 'hard_tokens'] as const
type Scope = typeof scopes[number]
type Limit = typeof limits[number]

/** How much may be used, and how much was today. */
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
            {scopes.map((scope) => (
              <fieldset key={scope} class='settings-budget'>
                <legend>{w.scopes[scope]}</legend>
                {limits.map((limit) => <LimitField key={limit} scope={scope} limit={limit} value={set[scope][limit]} />)}
              </fieldset>
            ))}
          </>
        )}
      </Loaded>
    </>
  )
}

function LimitField ({ scope, limit, value }: { scope: Scope, limit: Limit, value: number | null }) {
  const text = value === null ? '' : String(value)
  const [typed, setTyped] = useState(text)
  const [problem, setProblem] = useState<string | null>(null)
  useEffect(() => setTyped(text), [text])
  const w = screenWords.value.settings
  const put = async (wanted: unknown): Promise<boolean> => await attempt(async () => budgets.set(await api.post('/api/budgets', { [scope]: { [limit]: wanted } })))
  const save = async (): Promise<void> => {
    if (typed.trim() === text) return
    const parsed = typed.trim() === '' ? { value: null } : parseTyped({ key: limit, kind: 'number', min: 0, max: 1e12, step: limit.endsWith('usd') ? 0.01 : 1 }, typed)
    if ('wrong' in parsed) return setProblem(w.needsNumber(0, 1e12))
    if (!await put(parsed.value)) return setTyped(text)
    toast(w.saved(`${w.scopes[scope]}, ${w.limits[limit]}`), { about: `budget ${scope} ${limit}`, action: { text: words.value.common.undo, onPick: () => { void put(value) } } })
  }
  return (
    <TextField
      label={w.limits[limit]} inputMode='decimal' value={typed} error={problem} onValue={(next) => { setTyped(next); setProblem(null) }}
      onBlur={() => { void save() }} onKeyDown={(event) => { if (event.key === 'Enter') void save() }}
    />
  )
}
