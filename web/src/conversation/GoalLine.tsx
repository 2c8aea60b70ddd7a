import { useSignal } from '@preact/signals'
import { type Conversation } from '../core/conversation/conversation.js'
import { Button } from '../ui/Button.js'
import { screenWords, words } from '../words/index.js'

/** Shows the goal of a chat and its progress, above the box. */
export function GoalLine ({ conversation }: { conversation: Conversation }) {
  const isAway = useSignal('')
  const now = conversation.goal.value
  if (now === null || isAway.value === now.goal.goal + now.goal.status) return null
  const { goal, phase } = now
  const w = screenWords.value.chat.goals
  const state = phase === 'evaluating'
    ? w.checking
    : goal.status === 'done' ? w.done : goal.status === 'paused' ? w.paused : w.active(goal.turns_used, goal.max_turns)
  const code = goal.paused_code
  const why = code === null ? goal.paused_reason ?? goal.last_reason : w.pauses[code]
  // The text for this code does not contain what the judge said, so that is added.
  const reason = code === 'judge_unclear' && goal.last_reason !== null ? `${why}: ${goal.last_reason}` : why
  return (
    <div class='goal-line' role='region' aria-label={words.value.conversation.goal}>
      <p><strong>{state}</strong> <bdi>{goal.goal}</bdi>{reason === null ? null : <span class='goal-reason'> · {reason}</span>}</p>
      {goal.status === 'active'
        ? <Button kind='quiet' size='small' onClick={() => { void conversation.actOnGoal('pause') }}>{w.pause}</Button>
        : null}
      {goal.status === 'paused'
        ? <Button kind='quiet' size='small' onClick={() => { void conversation.actOnGoal('resume') }}>{w.resume}</Button>
        : null}
      {goal.status === 'done'
        ? <Button kind='quiet' size='small' onClick={() => { isAway.value = goal.goal + goal.status }}>{words.value.common.close}</Button>
        : <Button kind='quiet' size='small' onClick={() => { void conversation.actOnGoal('clear') }}>{w.giveUp}</Button>}
    </div>
  )
}
