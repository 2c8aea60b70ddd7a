import './conversation.css'
import { useEffect } from 'preact/hooks'
import { type Conversation } from '../core/conversation/conversation.js'
import { lazy } from '../ui/lazy.js'
import { backgroundTasks, sideQuestions } from './side-work.js'

const QuestionCard = lazy(async () => (await import('./SideCard.js')).QuestionCard, { waiting: null })
const TaskCard = lazy(async () => (await import('./SideCard.js')).TaskCard, { waiting: null })

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
