import { type BackgroundTask } from '../core/conversation/background-tasks.js'
import { type SideQuestion } from '../core/conversation/side-questions.js'
import { Markdown } from '../markdown/Markdown.js'
import { attempt } from '../ui/attempt.js'
import { Button } from '../ui/Button.js'
import { X } from '../ui/icons.js'
import { screenWords, words } from '../words/index.js'
import { backgroundTasks, sideQuestions } from './side-work.js'

/** A side question with its answer. */
export function QuestionCard ({ question: { streamId, exchange, isLost } }: { question: SideQuestion }) {
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

/** A background task with its result. */
export function TaskCard ({ task: { taskId, prompt, state, answer, streamId } }: { task: BackgroundTask }) {
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
