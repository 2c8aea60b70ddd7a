import { useState } from 'preact/hooks'
import { attempt } from '../ui/attempt.js'
import { Button } from '../ui/Button.js'
import { Disclosure } from '../ui/Disclosure.js'
import { SelectField, TextField } from '../ui/Field.js'
import { screenWords } from '../words/index.js'
import { times } from '../words/times.js'
import { auditLog, exportAddress, groups, partsOf, readOlder, seek, sought, subjectOf, type AuditEntry } from './audit.js'
import { Loaded } from '../ui/Loaded.js'

/** Searches and exports the audit log. */
export function Audit () {
  const [typed, setTyped] = useState(sought.value.q)
  const w = screenWords.value.audit
  const { kind } = sought.value
  return (
    <>
      <p class='settings-note'>{w.note}</p>
      <form class='settings-form' role='search' onSubmit={(event) => { event.preventDefault(); void seek({ q: typed.trim() }) }}>
        <TextField label={w.search} type='search' value={typed} onValue={setTyped} />
        <SelectField
          label={w.kind} value={kind} choices={[{ key: '', text: w.all }, ...groups.map((key) => ({ key, text: w.groups[key] }))]}
          onValue={(chosen) => { void seek({ kind: chosen, q: typed.trim() }) }}
        />
        <div class='settings-actions'><Button type='submit'>{w.find}</Button></div>
      </form>
      <Loaded of={auditLog} lines={6}>
        {({ entries, next_before: next }) => (
          <>
            {entries.length === 0 ? <p class='settings-note' role='status'>{w.none}</p> : null}
            <ul class='settings-list'>{entries.map((entry) => <EntryRow key={entry.id} entry={entry} />)}</ul>
            {next === null
              ? null
              : <div><Button busy={auditLog.isLoading.value} onClick={() => { void attempt(readOlder) }}>{w.older}</Button></div>}
          </>
        )}
      </Loaded>
      <p class='settings-actions'>
        <a href={exportAddress('csv', sought.value)} download>{w.csv}</a>
        <a href={exportAddress('ndjson', sought.value)} download>{w.ndjson}</a>
      </p>
    </>
  )
}

function EntryRow ({ entry }: { entry: AuditEntry }) {
  const { at, kind, outcome, actor, address, details } = entry
  const w = screenWords.value.audit
  const [group, deed] = partsOf(kind)
  const subject = subjectOf(details)
  const { answered } = screenWords.value.prompts
  const choice = 'choice' in details ? details.choice : undefined
  return (
    <li class='settings-row audit-entry'>
      <div class='settings-row-text'>
        <p>{choice === undefined ? `${w.groups[group]}: ${w.deeds[deed]}` : answered[choice]}{outcome === 'ok' ? null : ` · ${w.outcomes[outcome]}`}</p>
        {subject === null ? null : <p class='audit-subject' title={subject}><bdi>{subject}</bdi></p>}
        <p class='settings-note'><bdi>{nameOf(actor)}</bdi>{address === null ? null : ` · ${address}`}</p>
        <Disclosure summary={w.details}><p class='settings-key'><code>{kind}</code> · <bdi>{inWords(details)}</bdi></p></Disclosure>
      </div>
      <span class='settings-note' title={times.full(at)}>{times.at(at)}</span>
    </li>
  )
}

/** Names the actor: a device by its name, a person by the sign-in. */
function nameOf ({ kind, id, name }: AuditEntry['actor']): string {
  const { actors, open } = screenWords.value.audit
  if (name !== null) return name
  if (kind !== 'person' || id === null) return actors[kind]
  return id === 'open' ? open : `${actors.person} (${id})`
}

const inWords = (details: object): string =>
  Object.entries(details).map(([key, value]) => `${key}: ${typeof value === 'string' ? value : JSON.stringify(value)}`).join(' · ')
