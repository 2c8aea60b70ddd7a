import { api } from '../app.js'
import { Loaded } from '../ui/Loaded.js'
import { Button } from '../ui/Button.js'
import { Counts } from '../ui/DiffView.js'
import { Disclosure } from '../ui/Disclosure.js'
import { FileName } from '../ui/FileName.js'
import { LazyDiff } from '../ui/LazyDiff.js'
import { useReading } from '../ui/use-reading.js'
import { screenWords } from '../words/index.js'
import { take, type Attempt, type AttemptsView, type Part } from './attempts.js'

/** Shows the changes of an attempt by file. Each file, and each hunk, can be taken. */
export function AttemptChanges ({ view, attempt }: { view: AttemptsView, attempt: Attempt }) {
  const query = { attempts_id: view.attempts_id, session_id: attempt.session_id }
  const { files, additions, deletions } = attempt
  const changes = useReading(async () => await api.get('/api/attempts/diff', query), [attempt.session_id], [files, additions, deletions])
  const w = screenWords.value.attempts
  return (
    <section aria-label={w.changes}>
      <h3>{w.changes}</h3>
      <Loaded of={changes} lines={3}>
        {({ files, version }) => (
          <ul class='attempts-files'>
            {files.map((file) => (
              <li key={file.path}>
                <Disclosure
                  summary={(
                    <>
                      <FileName path={file.path} class='attempts-path' /> <Counts added={file.additions} removed={file.deletions} />
                    </>
                  )}
                >
                  {() => (
                    <FileChanges
                      query={{ ...query, path: file.path }} version={version} isBinary={file.binary}
                      onTake={(part) => { void take(view, attempt, { files: [part], version }) }}
                    />
                  )}
                </Disclosure>
              </li>
            ))}
          </ul>
        )}
      </Loaded>
    </section>
  )
}

function FileChanges ({ query, version, isBinary, onTake }: {
  query: { attempts_id: string, session_id: string, path: string }
  version: string
  isBinary: boolean
  onTake: (part: Part) => void
}) {
  const resource = useReading(async () => await api.get('/api/attempts/diff', query), [], [version])
  const { path } = query
  const w = screenWords.value.attempts
  return (
    <div class='attempts-file'>
      <div><Button size='small' onClick={() => onTake({ path })}>{w.takeFile}</Button></div>
      {isBinary
        ? <p class='attempts-note'>{w.binary}</p>
        : (
          <Loaded of={resource} lines={3}>
            {({ diff }) => (
              <LazyDiff bare diff={diff} onTake={{ text: w.takeHunk, take: (_, at) => onTake({ path, hunks: [at] }) }} />
            )}
          </Loaded>
          )}
    </div>
  )
}
