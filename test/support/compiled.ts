import { type FastifyInstance, type FastifySchemaCompiler, type FastifySerializerCompiler, type FastifySchemaValidationError } from 'fastify'

type Serialize = ReturnType<FastifySerializerCompiler<object>>
interface Validate {
  (value: unknown): boolean
  errors?: FastifySchemaValidationError[] | null
}

const serializers = createShared<Serialize>()
/** Conflicts have a schema of their own (plugins/ground/serialization.ts). */
const ofConflicts = createShared<Serialize>()
const validators = createShared<Validate>()

/**
 * Lets the services of a process share what they compile from their schemas, which are the same in each: a process starts many, and
 * compiling would take a third of its time. Nothing is compiled before its first use.
 */
export function shareCompiled (app: FastifyInstance): void {
  const setSerializer = app.setSerializerCompiler.bind(app)
  app.setSerializerCompiler = ((compile: FastifySerializerCompiler<object>) => setSerializer<object>((route) => {
    const shared = route.httpStatus === '409' ? ofConflicts : serializers
    return (value) => shared.of(route.schema, () => compile(route))(value)
  })) as typeof app.setSerializerCompiler

  const setValidator = app.setValidatorCompiler.bind(app)
  app.setValidatorCompiler = ((compile: FastifySchemaCompiler<object>) => setValidator<object>((route) => {
    const validate: Validate = (value) => {
      const shared = validators.of(route.schema, () => compile(route) as Validate)
      const isValid = shared(value)
      validate.errors = shared.errors
      return isValid
    }
    return validate
  })) as typeof app.setValidatorCompiler
}

/** Caches what is compiled from schemas, once for each text, because every service creates its own objects for the same routes. */
function createShared<Made> () {
  const byText = new Map<string, Made>()
  const bySchema = new WeakMap<object, Made>()
  return {
    of (schema: object, make: () => Made): Made {
      const known = bySchema.get(schema)
      if (known !== undefined) return known
      const text = JSON.stringify(schema)
      const made = byText.get(text) ?? make()
      byText.set(text, made)
      bySchema.set(schema, made)
      return made
    }
  }
}
