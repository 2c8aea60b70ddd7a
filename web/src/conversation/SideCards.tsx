import { useEffect } from 'preact/hooks'
import { type BackgroundTask } from '../core/conversation/background-tasks.js'
import { type Conversation } from '../core/conversation/conversation.js'
import { type SideQuestion } from '../core/conversation/side-questions.js'
import { Markdown } from '../markdown/Markdown.js'
import { attempt } from '../ui/attempt.js'
import { Button } from '../ui/Button.js'
import { X } from '../ui/icons.js'
import { screenWords, words } from '../words/index.js'
import { backgroundTasks, sideQuestions } from './beside.js'

/** Shows side questions and background tasks, which are not part of the chat. */
export function SideCards ({ sessionId, conversation }: { sessionId: string, conversation: Conversation }) {
  useEffect(() => {
    void backgroundTasks.look(sessionId)
    return conversation.listen((event) => { if (event.type === 'background') void backgroundTasks.look(sessionId) })
  }, [sessionId, conversation])
  const questions = sideQuestions.list.value.filter((one) => one.sessionId === sessionId)
  const tasks = backgroundTasks.list.value.filter((one) => one.sessionId === sessionId)
  if (questions.length + tasks.length === 0) return null
  return (
    <div class='side-cards'>
      {questions.map((question) => <QuestionCard key={question.streamId} question={question} />)}
      {tasks.map((task) => <TaskCard key={task.taskId} task={task} />)}
    </div>
  )
}

function QuestionCard ({ question: { streamId, exchange, isLost } }: { question: SideQuestion }) {
  const w = screenWords.value.chat.side
  const texts = exchange.parts.value.flatMap(({ part: { value: part } }) => part.kind === 'text' ? [part] : [])
  const { state, problem } = exchange.head.value
  return (
    <section class='side-card' aria-label={w.question} aria-busy={state === 'running'}>
      <header>
        <strong>{w.question}</strong> <bdi>{exchange.user.value?.text}</bdi>
        <Button kind='quiet' size='small' icon={X} label={words.value.common.close} onClick={() => sideQuestions.close(streamId)} />
      </header>
      {texts.map((part) => <Markdown key={part.key} text={part.text} live={part.isOpen} />)}
      {state === 'running' && texts.length === 0
        ? <p class='exchange-working'><span class='pulse' aria-hidden /> {words.value.conversation.working}</p>
        : null}
      {problem === null ? null : <p class='exchange-problem'>{problem.message}</p>}
      {isLost.value ? <p class='exchange-event'>{w.lost}</p> : null}
    </section>
  )
}

function TaskCard ({ task: { taskId, prompt, state, answer, streamId } }: { task: BackgroundTask }) {
  const w = screenWords.value.chat.side
  const isUnderWay = state === 'running' || state === 'stopping'
  return (
    <section class='side-card' aria-label={w.task} aria-busy={isUnderWay}>
      <header>
        <strong>{w.task}</strong> <bdi>{prompt}</bdi>
        {isUnderWay && streamId !== null
          ? (
            <Button
              kind='quiet' size='small' busy={state === 'stopping'}
              onClick={() => { void attempt(() => backgroundTasks.stop(taskId)) }}
            >
              {words.value.composer.stop}
            </Button>
            )
          : <Button kind='quiet' size='small' icon={X} label={words.value.common.close} onClick={() => backgroundTasks.dismiss(taskId)} />}
      </header>
      {answer === null ? <p class='exchange-event'>{w.states[state]}</p> : <Markdown text={answer} />}
    </section>
  )
}
