/** What is asked next: the question, the model and the parameters. */
import { useId, useState, type FormEvent, type KeyboardEvent, type MouseEvent } from 'react'
import { fieldOf } from '../format/form.ts'
import { oneLine } from '../format/text.ts'
import type { Model } from '../jobs/types.ts'
import type { Settings } from './conversation.ts'

/** Bounds of the API. */
const LONGEST_MODEL = 512
const MOST_TOKENS = 100_000

/** The model that every operator generates comes last: what it says is gibberish. */
const GENERATED = 'tiny.gguf'

/** Names of models that are served. */
export function namesOf(models: readonly Model[]): readonly string[] {
  const isGenerated = (name: string): number => Number(name === GENERATED)
  return [...new Set(models.map(({ model }) => model))].toSorted(
    (a, b) => isGenerated(a) - isGenerated(b),
  )
}

function settingsOf(form: FormData): Settings {
  const type = fieldOf(form, 'type')
  return {
    model: fieldOf(form, 'model').trim(),
    system: fieldOf(form, 'system'),
    temperature: Number(fieldOf(form, 'temperature')),
    topP: Number(fieldOf(form, 'top_p')),
    maxTokens: Number(fieldOf(form, 'max_tokens')),
    type: type === 'opml' || type === 'tee' ? type : '',
  }
}

function Parameters({ settings }: { readonly settings: Settings }) {
  return (
    <details className="wide">
      <summary>Parameters</summary>
      <div className="fields">
        <label>
          Max tokens
          <input
            name="max_tokens"
            type="number"
            min={1}
            max={MOST_TOKENS}
            defaultValue={settings.maxTokens}
            required
          />
        </label>
        <label>
          Temperature
          <input
            name="temperature"
            type="number"
            min={0}
            max={2}
            step={0.1}
            defaultValue={settings.temperature}
            required
          />
        </label>
        <label>
          Top p
          <input
            name="top_p"
            type="number"
            min={0.05}
            max={1}
            step={0.05}
            defaultValue={settings.topP}
            required
          />
        </label>
        <label>
          Verified by
          <select name="type" defaultValue={settings.type}>
            <option value="">what is served</option>
            <option value="opml">re-execution (opml)</option>
            <option value="tee">an attested worker (tee)</option>
          </select>
        </label>
        <label className="wide">
          Instructions
          <textarea name="system" rows={2} dir="auto" defaultValue={settings.system} />
        </label>
      </div>
    </details>
  )
}

type Props = {
  readonly settings: Settings
  readonly models: readonly Model[]
  readonly isBusy: boolean
  readonly onAsk: (text: string, settings: Settings) => void
  readonly onStop: () => void
  /** Asks the last question again, with the model and the parameters as they are now; absent where there is none. */
  readonly onAgain: ((settings: Settings) => void) | undefined
}

/** The form. Enter asks; with Shift it begins a line. */
export function Composer({ settings, models, isBusy, onAsk, onStop, onAgain }: Props) {
  const list = useId()
  const [text, setText] = useState('')
  const names = namesOf(models)

  const ask = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault()
    if (isBusy || text.trim() === '') return
    onAsk(text, settingsOf(new FormData(event.currentTarget)))
    setText('')
  }
  const again = (event: MouseEvent<HTMLButtonElement>): void => {
    const { form } = event.currentTarget
    if (form?.reportValidity() === true) onAgain?.(settingsOf(new FormData(form)))
  }
  const onKey = (event: KeyboardEvent<HTMLTextAreaElement>): void => {
    if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return
    event.preventDefault()
    event.currentTarget.form?.requestSubmit()
  }

  return (
    <form className="card fields composer" onSubmit={ask} aria-label="Ask">
      <label className="wide">
        Message
        <textarea
          rows={3}
          dir="auto"
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
          onKeyDown={onKey}
        />
      </label>
      <label>
        Model
        <input
          name="model"
          list={list}
          required
          maxLength={LONGEST_MODEL}
          defaultValue={settings.model === '' ? names[0] : settings.model}
          placeholder="name, name:tag or org/name"
          autoComplete="off"
          autoCapitalize="off"
          spellCheck={false}
        />
        <datalist id={list}>
          {names.map((name) => (
            <option key={name} value={name}>
              {oneLine(name, 80)}
            </option>
          ))}
        </datalist>
      </label>
      <div className="actions">
        {isBusy ? (
          <button type="button" className="button" onClick={onStop}>
            Stop
          </button>
        ) : (
          <button type="submit" className="button" disabled={text.trim() === ''}>
            Ask
          </button>
        )}
        {!isBusy && onAgain !== undefined && (
          <button type="button" className="plain" onClick={again}>
            Ask again with these
          </button>
        )}
      </div>
      <Parameters settings={settings} />
    </form>
  )
}
