import { Type } from '@sinclair/typebox'
import { Closed, Id, Nullable } from './common.js'

export const PersonalityList = Closed({
  personalities: Type.Array(Closed({ name: Type.String(), description: Type.String() }))
}, { title: 'PersonalityList' })

export const SetPersonality = Type.Object({
  session_id: Id('session'),
  name: Type.String({ maxLength: 200, description: 'empty, or none, takes it away' })
})

export const PersonalitySet = Closed({
  ok: Type.Literal(true),
  personality: Nullable(Type.String()),
  prompt: Type.String({ description: 'what the model is told; empty without a personality' })
}, { title: 'PersonalitySet' })
