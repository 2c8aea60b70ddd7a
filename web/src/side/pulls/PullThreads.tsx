import { useState } from 'preact/hooks'
import { visible, visibleText } from '../../core/files/paths.js'
import { Markdown } from '../../markdown/Markdown.js'
import { Badge } from '../../ui/Badge.js'
import { Button } from '../../ui/Button.js'
import { Disclosure } from '../../ui/Disclosure.js'
import { TextArea } from '../../ui/Field.js'
import { screenWords, words } from '../../words/index.js'
import { times } from '../../words/times.js'
import { type Action } from '../action.js'
import { type SideModel } from '../side-model.js'
import { mend } from './PullChecks.js'
import { type Pull, type PullThread } from './pull-requests.js'
import { usePullAction } from './use-pull-action.js'

interface Discussed { pull: Pull, model: SideModel, action: Action, fixed: boolean }

/** The comments of people and bots on a pull request; threads that wait for something come first. */
export function PullThreads ({ threads, ...discussed }: Discussed & { threads: readonly PullThread[] }) {
  const [isWriting, setWriting] = useState(false)
  const w = screenWords.value.pulls
  const { pull, model } = discussed
  const waiting = threads.filter(({ resolved }) => resolved === false)
  const others = threads.filter(({ resolved }) => resolved !== false)
  return (
    <div class='pull-part'>
      {waiting.length > 0 && <p role='status'>{w.comments(waiting.length)}</p>}
      <ul class='pull-threads'>{waiting.map((thread) => <li key={thread.id}><Thread thread={thread} {...discussed} /></li>)}</ul>
      {others.length > 0 && (
        <Disclosure summary={`${w.allComments} (${others.length})`}>
          {() => <ul class='pull-threads'>{others.map((thread) => <li key={thread.id}><Thread thread={thread} {...discussed} /></li>)}</ul>}
        </Disclosure>
      )}
      {isWriting
        ? (
          <Answer
            label={w.commentLabel} onClose={() => setWriting(false)}
            send={async (body) => await model.pulls.comment(pull.number, null, body)}
          />
          )
        : pull.state === 'open' && !model.isReadOnly && (
          <Button kind='quiet' size='small' class='pull-comment' onClick={() => setWriting(true)}>{w.comment}</Button>
        )}
    </div>
  )
}

function Thread ({ thread, ...discussed }: Discussed & { thread: PullThread }) {
  const [isAnswering, setAnswering] = useState(false)
  const action = usePullAction()
  const w = screenWords.value.pulls
  const { pull, model, fixed } = discussed
  const { path, line, resolved, comments } = thread
  const first = comments[0]
  if (first === undefined) return null
  return (
    <article class='pull-thread'>
      {path !== null && (
        <button type='button' class='pull-place' onClick={() => model.open(path, line)}>
          <code><bdi>{visible(path)}</bdi>{line === null ? '' : `:${line}`}</code>
        </button>
      )}
      {comments.map(({ id, author, bot, body, created_at: atS }) => (
        <div key={id} class='pull-said'>
          <p class='side-muted'>
            <bdi>{visible(author)}</bdi> {bot && <Badge>{w.bot}</Badge>} · {times.at(atS)}
          </p>
          <Markdown class='pull-text' text={visibleText(body.trim())} headingLevel={3} onFile={model.openNamed} />
        </div>
      ))}
      {action.problem !== null && <p class='side-problem' role='alert'>{visible(action.problem)}</p>}
      {isAnswering
        ? (
          <Answer
            label={w.answerTo(visible(first.author))} onClose={() => setAnswering(false)}
            send={async (body) => await model.pulls.comment(pull.number, thread.id, body)}
          />
          )
        : pull.state === 'open' && !model.isReadOnly && (
          <div class='side-actions'>
            <Button size='small' disabled={fixed} onClick={() => mend(discussed, { threads: [thread.id] })}>{w.haveDone}</Button>
            {thread.can_reply && <Button kind='quiet' size='small' onClick={() => setAnswering(true)}>{w.answer}</Button>}
            {resolved !== null && (
              <Button
                kind='quiet' size='small' busy={action.doing === 'resolve'}
                onClick={() => { void action.run('resolve', async () => await model.pulls.resolve(pull.number, thread.id, !resolved)) }}
              >
                {resolved ? w.reopen : w.resolve}
              </Button>
            )}
          </div>
        )}
    </article>
  )
}

function Answer ({ label, send, onClose }: { label: string, send: (body: string) => Promise<void>, onClose: () => void }) {
  const [text, setText] = useState('')
  const action = usePullAction()
  const w = screenWords.value.pulls
  const submit = (): void => {
    if (text.trim() === '') return
    void action.run('send', async () => {
      await send(text.trim())
      onClose()
    })
  }
  return (
    <form class='pull-answer' onSubmit={(event) => { event.preventDefault(); submit() }}>
      <TextArea
        bare label={label} placeholder={label} rows={2} mostRows={10} value={text} onValue={setText} autofocus
        onKeyDown={(event) => { if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) { event.preventDefault(); submit() } }}
      />
      {action.problem !== null && <p class='side-problem' role='alert'>{visible(action.problem)}</p>}
      <div class='side-actions'>
        <Button size='small' onClick={onClose}>{words.value.common.cancel}</Button>
        <Button size='small' kind='primary' type='submit' busy={action.doing !== null} disabled={text.trim() === ''}>{w.send}</Button>
      </div>
    </form>
  )
}
