import { useEffect, useMemo } from 'preact/hooks'
import { openChat } from '../conversation/open-chat.js'
import { planBlocks, planPath, type PlanBlock } from '../core/files/plan.js'
import { ApiError } from '../core/service/api.js'
import { Markdown } from '../markdown/Markdown.js'
import { sentence, useAction } from '../side/action.js'
import { Below } from '../side/Reviewing.js'
import { type SideModel } from '../side/side-model.js'
import { Button } from '../ui/Button.js'
import { EmptyState } from '../ui/EmptyState.js'
import { TextArea } from '../ui/Field.js'
import { MessageSquareQuote } from '../ui/icons.js'
import { Skeleton } from '../ui/Skeleton.js'
import { toast } from '../ui/toasts.js'
import { screenWords, words } from '../words/index.js'
import { GoButton } from './GoButton.js'
import './plan.css'

/** The plan of a chat as a document, to be read, edited, commented on by its lines, and started. */
export function PlanTab ({ model }: { model: SideModel }) {
  const { plan } = model
  const action = useAction()
  useEffect(() => { void action.run('read', async () => await plan.read()) }, [plan])
  const w = screenWords.value.plan
  const document = plan.document.value
  if (plan.edit.value !== null) return <PlanEditor model={model} />
  if (!plan.isKnown.value) return action.problem === null ? <div class='side-padded'><Skeleton lines={6} /></div> : <p class='side-problem' role='alert'>{action.problem}</p>
  if (document === null) {
    return (
      <EmptyState title={w.none} actions={model.isReadOnly ? undefined : <Button onClick={() => plan.begin()}>{w.write}</Button>}>
        {w.noneNote}
      </EmptyState>
    )
  }
  return (
    <div class='side-column'>
      <div class='side-actions plan-head'>
        <span class='side-muted side-grow'>{document.started_at === null ? w.version(document.version, document.author) : w.started}</span>
        {model.isReadOnly ? null : <Button size='small' onClick={() => plan.begin()}>{w.edit}</Button>}
        {model.isReadOnly || document.started_at !== null ? null : <GoButton plan={plan} disabled={model.isRunning} />}
      </div>
      <div class='side-scroll plan-document'>
        {planBlocks(document.text).map((block) => <BlockView key={block.line} model={model} block={block} text={document.text} />)}
      </div>
      <PlanReview model={model} />
    </div>
  )
}

/** A block with a button to comment on its lines, and the comments below it. A step shows the agent's progress. */
function BlockView ({ model, block, text }: { model: SideModel, block: PlanBlock, text: string }) {
  const { review } = model
  const w = screenWords.value.plan
  const shown = useTicked(model.sessionId, block.text)
  const comment = (): void => {
    const lines = text.split('\n')
    review.writing.value = {
      id: null, path: planPath, side: 'new', line: block.line, end_line: block.endLine, text: '',
      quote: lines.slice(block.line - 1, block.endLine), before: lines.slice(Math.max(0, block.line - 4), block.line - 1),
      after: lines.slice(block.endLine, block.endLine + 3)
    }
  }
  const lines = Array.from({ length: block.endLine - block.line + 1 }, (_, index) => block.line + index)
  return (
    <div class='plan-block' data-line={block.line}>
      <div class='plan-text'><Markdown text={shown} headingLevel={2} /></div>
      {model.isReadOnly
        ? null
        : <Button kind='quiet' size='small' icon={MessageSquareQuote} label={w.comment(block.line)} class='plan-comment' onClick={comment} />}
      {lines.map((line) => <Below key={line} model={model} path={planPath} line={{ kind: 'same', text: '', before: null, after: line }} />)}
    </div>
  )
}

const box = /^(\s*(?:[-*+]|\d{1,4}[.)])\s+)(?:\[[ xX]\]\s+)?(\S.*)$/

/** Returns a step with its state in the to-do list: it is ticked once the agent has done it. */
function useTicked (sessionId: string, text: string): string {
  const conversation = openChat.value?.conversation
  const todos = conversation?.sessionId.value === sessionId ? conversation.todos.value?.todos : undefined
  return useMemo(() => {
    const [, mark = '', content = ''] = box.exec(text) ?? []
    const step = content === '' ? undefined : todos?.find((todo) => todo.content === content.trim())
    return step === undefined ? text : `${mark}[${step.status === 'completed' ? 'x' : ' '}] ${step.status === 'in_progress' ? `**${content}**` : content}`
  }, [text, todos])
}

/** Edits the text. If someone else has saved meanwhile, the edit stays, and replaces their version only if the person confirms. */
function PlanEditor ({ model: { plan } }: { model: SideModel }) {
  const action = useAction()
  const writing = plan.edit.value
  const w = screenWords.value.plan
  if (writing === null) return null
  const save = (): Promise<void> => action.run('save', async () => {
    try {
      await plan.save()
    } catch (error) {
      if (!(error instanceof ApiError) || error.code !== 'plan_changed') throw error
      await plan.rebase()
      action.tell(w.refused.plan_changed ?? sentence(error))
      toast(w.refused.plan_changed ?? '', { kind: 'bad', about: 'plan' })
    }
  })
  const theirs = plan.document.value
  return (
    <form class='side-column plan-editor' onSubmit={(event) => { event.preventDefault(); void save() }}>
      <div class='side-scroll'>
        <TextArea
          bare label={w.text} rows={16} mostRows={60} value={writing.text} onValue={(text) => { plan.edit.value = { ...writing, text } }}
          onKeyDown={(event) => {
            if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return
            event.preventDefault()
            void save()
          }}
        />
        {theirs === null || theirs.version === writing.version ? null : <p class='side-note'>{w.changedMeanwhile}</p>}
      </div>
      {action.problem !== null && <p class='side-problem' role='alert'>{action.problem}</p>}
      <div class='side-actions'>
        <Button size='small' onClick={() => { plan.edit.value = null }}>{words.value.common.cancel}</Button>
        <Button type='submit' kind='primary' size='small' class='side-end' busy={action.doing !== null} disabled={writing.text.trim() === ''}>
          {words.value.common.save}
        </Button>
      </div>
    </form>
  )
}

/** Sends the comments on the plan as one message. */
function PlanReview ({ model: { review, isReadOnly } }: { model: SideModel }) {
  const action = useAction()
  const w = screenWords.value.review
  const drafts = review.ofPlan.value.filter(({ state }) => state === 'draft')
  if (drafts.length === 0 || isReadOnly) return null
  const send = (): Promise<void> => action.run('send', async () => {
    const isQueued = await review.send(drafts)
    toast(isQueued ? w.queued : w.sent, { kind: 'good' })
  })
  return (
    <div class='side-actions plan-review'>
      {action.problem !== null && <p class='side-problem' role='alert'>{action.problem}</p>}
      <Button kind='primary' size='small' class='side-end' busy={action.doing !== null} onClick={() => { void send() }}>{w.send(drafts.length)}</Button>
    </div>
  )
}
