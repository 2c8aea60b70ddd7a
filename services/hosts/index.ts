export { createAsking, unreachable, type Asking, type AskingOptions } from './asking.js'
export { questions, type Question, type QuestionAnswer, type QuestionBody } from './questions.js'
export { createSharing, type SharingOptions } from './sharing.js'
export { errorOf, refusalOf, type Refusal } from './refusals.js'
