import { type RefObject } from 'preact'
import { useState } from 'preact/hooks'
import { type Question } from '../core/conversation/prompts.js'
import { Button } from '../ui/Button.js'
import { TextArea } from '../ui/Field.js'
import { screenWords } from '../words/index.js'
import { type Answering } from './answering.js'
import { FormAnswer } from './FormAnswer.js'

export interface QuestionFormProps { question: Question, answering: Answering, isGuarded: boolean, box: RefObject<HTMLElement> }

export function QuestionForm (props: QuestionFormProps) {
  const { question: { form }, answering, isGuarded, box } = props
  return form === undefined ? <OpenQuestion {...props} /> : <FormAnswer form={form} answering={answering} isGuarded={isGuarded} box={box} />
}

/** The offered answers as buttons, and a field for another one. */
function OpenQuestion ({ question, answering, isGuarded, box }: QuestionFormProps) {
  const [text, setText] = useState('')
  const w = screenWords.value.prompts
  const { choices_offered: choices, link } = question
  const isBusy = answering.isBusy.value
  const send = (): void => { if (text.trim() !== '' && !isBusy) void answering.send({ response: text.trim() }) }
  return (
    <div class='prompt-answer'>
      {link?.url == null
        ? null
        : <p><a href={link.url} target='_blank' rel='noopener noreferrer'>{w.openPage(<bdi>{link.host}</bdi>)}</a></p>}
      {choices.length === 0
        ? null
        : (
          <div class='prompt-choices'>
            {choices.map((choice) => (
              <Button key={choice} disabled={isGuarded || isBusy} onClick={() => { void answering.send({ response: choice }) }}>
                <bdi>{choice}</bdi>
              </Button>
            ))}
          </div>)}
      <form class='prompt-own' onSubmit={(event) => { event.preventDefault(); send() }}>
        <TextArea
          label={w.ownAnswer} bare placeholder={choices.length > 0 ? w.orOwnAnswer : w.ownAnswer} rows={1} mostRows={8}
          value={text} onValue={setText}
          areaRef={(area) => { box.current = area }}
          dir='auto'
          onKeyDown={(event) => {
            if (event.key !== 'Enter' || event.shiftKey || event.isComposing || event.repeat) return
            event.preventDefault()
            send()
          }}
        />
        <Button kind={text.trim() === '' ? 'plain' : 'primary'} type='submit' busy={isBusy} disabled={text.trim() === ''}>{w.answer}</Button>
      </form>
    </div>
  )
}
