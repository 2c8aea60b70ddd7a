import { type ComponentChildren } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { places } from '../shell/places.js'
import { attempt } from '../ui/attempt.js'
import { Button } from '../ui/Button.js'
import { Disclosure } from '../ui/Disclosure.js'
import { SelectField, TextField } from '../ui/Field.js'
import { Link } from '../ui/Link.js'
import { Loaded } from '../ui/Loaded.js'
import { screenWords } from '../words/index.js'
import { times } from '../words/times.js'
import {
  auditLog, byDay, actionOf, exportAddress, groups, partsOf, readOlder, seek, sought, subjectOf, valueLines, type AuditEntry
} from './audit.js'

/** How long typing rests before the log is searched. */
const restMs = 300

/** Searches and exports the audit log, which is listed by day, with one line for an entry. */
export function Audit () {
  const [typed, setTyped] = useState(sought.value.q)
  const w = screenWords.value.audit
  const { kind } = sought.value
  const q = typed.trim()
  useEffect(() => {
    const timer = setTimeout(() => { if (q !== sought.peek().q) void seek({ q }) }, restMs)
    return () => clearTimeout(timer)
  }, [q])
  return (
    <>
      <p class='settings-note'>{w.note}</p>
      <div>
        <form class='audit-search' role='search' onSubmit={(event) => { event.preventDefault(); void seek({ q }) }}>
          <TextField label={w.search} placeholder={w.search} bare type='search' value={typed} onValue={setTyped} />
          <SelectField
            label={w.kind} bare value={kind} choices={[{ key: '', text: w.all }, ...groups.map((key) => ({ key, text: w.groups[key] }))]}
            onValue={(chosen) => { void seek({ kind: chosen, q }) }}
          />
        </form>
        <p class='audit-exports'>
          <a href={exportAddress('csv', { kind, q })} download>{w.csv}</a>
          <a href={exportAddress('ndjson', { kind, q })} download>{w.ndjson}</a>
        </p>
      </div>
      <Loaded of={auditLog} lines={6}>
        {({ entries, next_before: next }) => (
          <>
            {entries.length === 0 ? <p class='settings-note' role='status'>{w.none}</p> : null}
            <Days entries={entries} />
            {next === null
              ? null
              : <div><Button busy={auditLog.isLoading.value} onClick={() => { void attempt(readOlder) }}>{w.older}</Button></div>}
          </>
        )}
      </Loaded>
    </>
  )
}

function Days ({ entries }: { entries: readonly AuditEntry[] }) {
  const hidesOpen = !entries.some(isOfPerson)
  return (
    <>
      {byDay(entries).map(({ id, day, list }) => (
        <section key={day} class='audit-day' aria-labelledby={id}>
          <h3 id={id}>{day}</h3>
          <ul class='settings-list'>{list.map((entry) => <EntryRow key={entry.id} entry={entry} hidesOpen={hidesOpen} />)}</ul>
        </section>
      ))}
    </>
  )
}

/** Whether someone who had signed in did it. */
const isOfPerson = ({ actor: { kind, id } }: AuditEntry): boolean => kind === 'person' && id !== 'open'

/** `hidesOpen`: whether who did it is left out where nobody needed to sign in: in a service without sign-in, all would say the same. */
function EntryRow ({ entry, hidesOpen }: { entry: AuditEntry, hidesOpen: boolean }) {
  const { at, kind, outcome, actor, details } = entry
  const w = screenWords.value.audit
  const [group] = partsOf(kind)
  const subject = subjectOf(details)
  const { answered } = screenWords.value.prompts
  const choice = 'choice' in details ? details.choice : undefined
  return (
    <li class='audit-entry'>
      <Disclosure
        summary={(
          <>
            <span class='audit-time'>{times.clock(at)}</span>
            <span class='audit-what'>
              <span class='audit-action'>{choice === undefined ? w.said(w.groups[group], w.actions[actionOf(entry)]) : answered[choice]}</span>
              {outcome === 'ok' ? null : <span class='audit-outcome'>{w.outcomes[outcome]}</span>}
              {subject === null ? null : <bdi class='audit-subject'>{subject}</bdi>}
            </span>
            {hidesOpen && actor.id === 'open' ? null : <bdi class='audit-who'>{nameOf(actor)}</bdi>}
          </>
        )}
      >
        {() => <EntryFacts entry={entry} />}
      </Disclosure>
    </li>
  )
}

/** Everything that the log knows about an entry; its details as they are exported. */
function EntryFacts ({ entry: { at, kind, actor, address, details } }: { entry: AuditEntry }) {
  const w = screenWords.value.audit
  return (
    <dl class='settings-facts audit-facts'>
      <Fact name={w.when}>{times.full(at)}</Fact>
      <Fact name={w.who}><bdi>{nameOf(actor)}</bdi>{address === null ? null : ` · ${address}`}</Fact>
      <Fact name={w.kind}><code dir='ltr'>{kind}</code></Fact>
      {Object.entries(details).map(([key, value]) => (
        <Fact key={key} name={<code dir='ltr'>{key}</code>}>
          {valueLines(value).map((line) => (
            <p key={line}><bdi>{isChat(kind, key, value) ? <Link href={places.session(line)}>{line}</Link> : line}</bdi></p>
          ))}
        </Fact>
      ))}
    </dl>
  )
}

/** Whether a detail is the id of a chat that can be opened: sign-ins are called sessions, too. */
const isChat = (kind: AuditEntry['kind'], key: string, value: unknown): boolean =>
  key === 'session' && typeof value === 'string' && !kind.startsWith('auth.') && kind !== 'session.deleted'

const Fact = ({ name, children }: { name: ComponentChildren, children: ComponentChildren }) =>
  <div class='settings-fact'><dt>{name}</dt><dd>{children}</dd></div>

/** Names the actor: a device by its name, a person by the sign-in. */
function nameOf ({ kind, id, name }: AuditEntry['actor']): string {
  const { actors, open } = screenWords.value.audit
  if (name !== null) return name
  if (kind !== 'person' || id === null) return actors[kind]
  return id === 'open' ? open : `${actors.person} (${id})`
}
