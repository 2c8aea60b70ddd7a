import { type Wire } from '../core/service/api.js'
import { places } from '../shell/places.js'
import { Link } from '../ui/Link.js'
import { ResourceState } from '../ui/Loaded.js'
import { Ring } from '../ui/Ring.js'
import { screenWords } from '../words/index.js'
import { times } from '../words/times.js'
import { limitKeys, scopes, shareOf, type LimitScope } from './numbers.js'
import { budgets } from './usage.js'

type Budget = Wire<'Budgets'>

/** Shows the budgets and today's use. They are changed in the settings. */
export function Budgets () {
  const w = screenWords.value.usage
  return (
    <section class='usage-part' aria-label={w.budgets}>
      <h2>{w.budgets}</h2>
      <p class='usage-note'>{w.budgetsText}</p>
      <ResourceState of={budgets}>
        {(value) => (
          <>
            {value.problems.map((problem) => <p key={problem} class='usage-problem'><bdi>{problem}</bdi></p>)}
            <Today budgets={value} />
            <ul class='usage-limits'>
              {scopes.map((scope) => (
                <li key={scope} class='usage-limit'>
                  <h3>{w.scopes[scope]}</h3>
                  <p class='usage-limit-line'>{sayLimits(value, scope)}</p>
                  <Link
                    class='button button-plain button-small' href={`${places.settings}/budgets#budget_${scope}`}
                    aria-label={w.changeLimits(w.scopes[scope])}
                  >
                    {w.change}
                  </Link>
                </li>
              ))}
            </ul>
          </>)}
      </ResourceState>
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
