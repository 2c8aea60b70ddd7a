import { useState } from 'preact/hooks'
import { announce } from '../ui/Announcer.js'
import { Button } from '../ui/Button.js'
import { TextArea } from '../ui/Field.js'
import { Sparkles } from '../ui/icons.js'
import { toast } from '../ui/toasts.js'
import { screenWords, words } from '../words/index.js'
import { useAction, type Action } from './action.js'
import { type SideModel } from './side-model.js'

/** Edits the message of the next commit, which is kept while other chats are shown. */
export function CommitBox ({ model, action, fixed }: { model: SideModel, action: Action, fixed: boolean }) {
  const { repository, commitMessage: message } = model
  const writing = useAction()
  const [note, setNote] = useState<string | null>(null)
  const { common } = words.value
  const { files: { changes: w } } = screenWords.value
  const { what, count } = repository.toCommit.value
  const label = count === 0 ? w.commit : what === 'selected' ? w.commitFiles(count) : w.commitStaged(count)
  const commit = (): Promise<void> => action.run('commit', async () => {
    const text = message.peek().trim()
    if (text === '' || count === 0) return
    const sha = await repository.commit(text)
    message.value = ''
    model.isWrittenForYou.value = false
    setNote(null)
    toast(w.committed(sha.slice(0, 7)), { kind: 'good' })
    await model.changed()
  })
  /** The model may take a while; only this box waits for it. */
  const write = (): Promise<void> => writing.run('write', async () => {
    const before = message.peek()
    const { message: text, truncated, source } = await repository.writeMessage()
    message.value = text
    model.isWrittenForYou.value = true
    announce(text)
    setNote([source === 'summary' && w.bySummary, truncated && w.notAllRead].filter(Boolean).join(' ') || null)
    if (before.trim() !== '') toast(w.rewritten, { action: { text: common.undo, onPick: () => { message.value = before } } })
  })
  return (
    <form class='commit-box' onSubmit={(event) => { event.preventDefault(); void commit() }}>
      <TextArea
        bare label={w.message} placeholder={w.messageHint} rows={message.value === '' ? 1 : 2} mostRows={8} value={message.value}
        onValue={(value) => {
          message.value = value
          model.isWrittenForYou.value = false
        }}
        onKeyDown={(event) => { if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) { event.preventDefault(); void commit() } }}
      />
      {writing.problem !== null && <p class='side-problem' role='alert'>{writing.problem}</p>}
      {note !== null && <p class='side-muted'>{note}</p>}
      <div class='side-actions'>
        <Button kind='quiet' icon={Sparkles} busy={writing.doing !== null} disabled={fixed || count === 0} onClick={() => { void write() }}>
          {model.isWrittenForYou.value ? w.written : w.write}
        </Button>
        <Button
          type='submit' class='side-end' busy={action.doing === 'commit'}
          disabled={fixed || count === 0 || message.value.trim() === ''}
        >
          {label}
        </Button>
      </div>
    </form>
  )
}
