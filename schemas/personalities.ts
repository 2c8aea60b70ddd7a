import { Type } from '@sinclair/typebox'
import { Closed, Id, Nullable } from './common.js'

export const PersonalityList = Closed({
  personalities: Type.Array(Closed({ name: Type.String(), description: Type.String() }))
}, { title: 'PersonalityList' })

export const SetPersonality = Type.Object({
  session_id: Id('session'),
  name: Type.String({ maxLength: 200, description: 'name of the personality; empty or none removes it' })
})

export const PersonalitySet = Closed({
  ok: Type.Literal(true),
  personality: Nullable(Type.String()),
  prompt: Type.String({ description: 'instructions for the model; empty: no personality' })
}, { title: 'PersonalitySet' })

const Words = (maxLength: number, description: string) => Type.Optional(Type.String({ maxLength, description, default: '' }))
const Written = {
  name: Type.String(), prompt: Type.String(), description: Type.String(), tone: Type.String(), style: Type.String()
}

export const PersonalityQuery = Type.Object({ name: Type.String({ minLength: 1, maxLength: 200 }) })
export const PersonalityText = Closed(Written, {
  title: 'PersonalityText', description: 'as written in config.yaml; empty texts are absent'
})
export const SavePersonality = Type.Object({
  name: Type.String({ minLength: 1, maxLength: 200 }),
  prompt: Words(20_000, 'instructions for the model'),
  description: Words(500, 'description that clients show'),
  tone: Words(500, 'passed to the model as a separate line'),
  style: Words(500, 'passed to the model as a separate line')
})
export const PersonalitySaved = Closed({ ok: Type.Literal(true), personality: PersonalityText }, { title: 'PersonalitySaved' })
export const PersonalityDeleted = Closed({ ok: Type.Literal(true), name: Type.String() }, { title: 'PersonalityDeleted' })
