import { useSignal } from '@preact/signals'
import { api } from '../app.js'
import { attempt } from '../ui/attempt.js'
import { Button } from '../ui/Button.js'
import { Disclosure } from '../ui/Disclosure.js'
import { ResourceState } from '../ui/Loaded.js'
import { toast } from '../ui/toasts.js'
import { useReading } from '../ui/use-reading.js'
import { screenWords, words } from '../words/index.js'
import { times } from '../words/times.js'
import { Difference } from './Difference.js'
import { type Section } from './documents.js'
import { documents } from './memory.js'

/** Lists the latest versions of a document, with the changes since, and restores them. */
export function Versions ({ section, version }: { section: Section, version: string }) {
  const history = useReading(async () => await api.get('/api/memory/history', { section }), [section], [version])
  const isBusy = useSignal(false)
  const w = screenWords.value.memory
  const restore = async (id: number, now: number): Promise<void> => {
    isBusy.value = true
    const isDone = await attempt(() => api.post('/api/memory/restore', { section, id }))
    await documents.refresh()
    isBusy.value = false
    if (isDone) {
      toast(w.restored, {
        action: {
          text: words.value.common.undo,
          onPick: () => { void attempt(() => api.post('/api/memory/restore', { section, id: now })) }
        }
      })
    }
  }
  return (
    <section class='memory-beside' aria-label={w.versions}>
      <h2>{w.versions}</h2>
      <ResourceState of={history}>
        {({ versions: [current, ...earlier] }) => current === undefined
          ? <p class='memory-about'>{w.noVersions}</p>
          : [current, ...earlier].map(({ id, author, created_at: createdAtS, bytes, missing }, at) => (
              <Disclosure
                key={id} class='memory-version'
                summary={(
                  <span class='memory-version-line'>
                    <b>{times.at(createdAtS)}</b>
                    <span>{w.authors[author]}</span>
                    <span>{missing ? w.missing : w.bytes(bytes)}</span>
                    {at === 0 ? <span>{w.current}</span> : null}
                  </span>
                )}
              >
                {() => at === 0
                  ? <p class='memory-about'>{w.currentNote}</p>
                  : (
                  <>
                    <Compared section={section} id={id} version={version} />
                    <Button size='small' busy={isBusy.value} onClick={() => { void restore(id, current.id) }}>{w.restore}</Button>
                  </>)}
              </Disclosure>
            ))}
      </ResourceState>
    </section>
  )
}

function Compared ({ section, id, version }: { section: Section, id: number, version: string }) {
  const compared = useReading(async () => await api.get('/api/memory/compare', { section, from: String(id) }), [section, id], [version])
  return (
    <ResourceState of={compared}>
      {({ diff }) => <><p class='memory-about'>{screenWords.value.memory.since}</p><Difference diff={diff} /></>}
    </ResourceState>
  )
}
