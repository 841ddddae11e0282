/** What is wrong with a field of a form. */
import { createContext, useContext } from 'react'

/** The value of a field is invalid; the message is for people. */
export class FieldError extends Error {
  override readonly name = 'FieldError'
  readonly field: string

  constructor(field: string, message: string) {
    super(message)
    this.field = field
  }
}

export const ProblemContext = createContext<FieldError | undefined>(undefined)

/** What is wrong with a field; undefined while nothing is. */
export function useProblem(field: string): string | undefined {
  const problem = useContext(ProblemContext)
  return problem?.field === field ? problem.message : undefined
}
