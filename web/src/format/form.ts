/** Fields of forms. */

/** The value of a field; '' if there is none. */
export function fieldOf(form: FormData, name: string): string {
  const value = form.get(name)
  return typeof value === 'string' ? value : ''
}
