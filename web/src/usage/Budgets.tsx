import { useSignal } from '@preact/signals'
import { api } from '../app.js'
import { type Wire } from '../core/service/api.js'
import { Button } from '../ui/Button.js'
import { ErrorState } from '../ui/ErrorState.js'
import { TextField } from '../ui/Field.js'
import { Ring } from '../ui/Ring.js'
import { Skeleton } from '../ui/Skeleton.js'
import { toast } from '../ui/toasts.js'
import { useRequest } from '../ui/use-request.js'
import { screenWords, words } from '../words/index.js'
import { times } from '../words/times.js'
import { isLimit, limitChanges, limitFormOf, limitKeys, scopes, shareOf, type LimitForm, type LimitScope } from './numbers.js'
import { budgets } from './usage.js'

type Budget = Wire<'Budgets'>

/** Shows the budgets and today's use. */
export function Budgets () {
  const edited = useSignal<LimitScope | null>(null)
  const w = screenWords.value.usage
  const value = budgets.value.value
  const error = budgets.error.value
  return (
    <section class='usage-part' aria-label={w.budgets}>
      <h2>{w.budgets}</h2>
      <p class='usage-note'>{w.budgetsText}</p>
      {error === null ? null : <ErrorState error={error} busy={budgets.isLoading.value} onRetry={() => { void budgets.refresh() }} />}
      {value === undefined
        ? error === null ? <Skeleton /> : null
        : (
          <>
            {value.problems.map((problem) => <p key={problem} class='usage-problem'><bdi>{problem}</bdi></p>)}
            <Today budgets={value} />
            <ul class='usage-limits'>
              {scopes.map((scope) => (
                <li key={scope} class='usage-limit'>
                  <h3>{w.scopes[scope]}</h3>
                  {edited.value === scope
                    ? <LimitEditor scope={scope} budgets={value} onDone={() => { edited.value = null }} />
                    : (
                      <>
                        <p class='usage-limit-line'>{sayLimits(value, scope)}</p>
                        <Button size='small' label={w.changeLimits(w.scopes[scope])} onClick={() => { edited.value = scope }}>
                          {w.change}
                        </Button>
                      </>)}
                </li>
              ))}
            </ul>
          </>)}
    </section>
  )
}

function sayLimits ({ limits }: Budget, scope: LimitScope): string {
  const w = screenWords.value.usage
  const said = limitKeys.flatMap((key) => {
    const limit = limits[scope][key]
    return limit === null ? [] : [w.limit[key](key.endsWith('usd') ? w.usd(limit) : w.short(limit))]
  })
  return said.length === 0 ? w.noLimit : said.join(' · ')
}

function Today ({ budgets: { day, limits, resets_at: resetsAtS } }: { budgets: Budget }) {
  const w = screenWords.value.usage
  const share = shareOf(day.usd, limits.day.hard_usd) ?? shareOf(day.tokens, limits.day.hard_tokens)
  return (
    <p class='usage-today'>
      {share === null ? null : <Ring share={share} size={20} label={w.ofLimit(Math.round(share * 100))} />}
      <span>{w.today(w.usd(day.usd), w.short(day.tokens))}</span>
      {day.unpriced_model === null ? null : <span class='usage-note'>{w.unpriced(day.unpriced_model)}</span>}
      <span class='usage-note'>{w.resets(times.next(resetsAtS))}</span>
    </p>
  )
}

function LimitEditor ({ scope, budgets: { limits }, onDone }: { scope: LimitScope, budgets: Budget, onDone: () => void }) {
  const before = limits[scope]
  const form = useSignal<LimitForm>(limitFormOf(before))
  const { isBusy, error, run } = useRequest()
  const w = screenWords.value.usage
  const isRight = limitKeys.every((key) => isLimit(key, form.value[key]))
  const send = async (change: object): Promise<void> => budgets.set(await api.post('/api/budgets', { [scope]: change }))
  const save = async (): Promise<void> => {
    const change = limitChanges(form.value, before)
    if (!isRight) return
    if (Object.keys(change).length === 0) return onDone()
    await run(async () => {
      await send(change)
      toast(w.limitsSaved, {
        kind: 'good',
        action: { text: words.value.common.undo, onPick: () => { void send(before).catch(() => budgets.refresh()) } }
      })
      onDone()
    })
  }
  return (
    <form class='usage-limit-form' onSubmit={(event) => { event.preventDefault(); void save() }}>
      {error === null ? null : <ErrorState error={error} />}
      <div class='usage-limit-fields'>
        {limitKeys.map((key) => (
          <TextField
            key={key} label={w.limitNames[key]} inputMode='decimal' placeholder={w.none} value={form.value[key]}
            onValue={(text) => {
              form.value = { ...form.value, [key]: text }
            }}
            error={isLimit(key, form.value[key]) ? null : w.wrongLimit}
          />
        ))}
      </div>
      <p class='usage-note'>{w.softHard}</p>
      <div class='usage-buttons'>
        <Button kind='primary' type='submit' busy={isBusy} disabled={!isRight}>{words.value.common.save}</Button>
        <Button onClick={onDone}>{words.value.common.cancel}</Button>
      </div>
    </form>
  )
}
