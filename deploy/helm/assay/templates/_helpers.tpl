{{- define "assay.name" -}}
{{- if contains .Chart.Name .Release.Name }}{{ .Release.Name | trunc 40 | trimSuffix "-" }}{{ else }}{{ printf "%s-%s" .Release.Name .Chart.Name | trunc 40 | trimSuffix "-" }}{{ end }}
{{- end }}

{{/* Labels that select pods: dict "root" $ "component" "validator". */}}
{{- define "assay.selector" -}}
app.kubernetes.io/name: {{ .root.Chart.Name }}
app.kubernetes.io/instance: {{ .root.Release.Name }}
app.kubernetes.io/component: {{ .component }}
{{- end }}

{{- define "assay.labels" -}}
{{ include "assay.selector" . }}
app.kubernetes.io/version: {{ .root.Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .root.Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .root.Chart.Name .root.Chart.Version }}
{{- end }}

{{- define "assay.image" -}}
{{- with .Values.image }}{{ if .digest }}{{ .repository }}@{{ .digest }}{{ else }}{{ .repository }}:{{ .tag | default $.Chart.AppVersion }}{{ end }}{{ end }}
{{- end }}

{{- define "assay.postgresHost" -}}
{{- if .Values.postgres.bundled }}{{ include "assay.name" . }}-postgres{{ else }}{{ required "postgres.host: set it, or postgres.bundled=true" .Values.postgres.host }}{{ end }}
{{- end }}

{{- define "assay.postgresUrl" -}}
postgres://{{ .Values.postgres.user }}@{{ include "assay.postgresHost" . }}:{{ .Values.postgres.port }}
{{- end }}

{{/* Of every pod that runs our image: dict "root" $ "values" (of the component). */}}
{{- define "assay.pod" -}}
automountServiceAccountToken: false
enableServiceLinks: false
terminationGracePeriodSeconds: {{ .root.Values.terminationGracePeriodSeconds }}
securityContext:
  runAsNonRoot: true
  runAsUser: 10001
  runAsGroup: 10001
  fsGroup: 10001
  # Otherwise each start would make key files readable by the group, and the programs refuse those.
  fsGroupChangePolicy: OnRootMismatch
  seccompProfile: { type: RuntimeDefault }
{{- with .root.Values.image.pullSecrets }}
imagePullSecrets: {{ toJson . }}
{{- end }}
{{- with .values.nodeSelector }}
nodeSelector: {{ toJson . }}
{{- end }}
{{- with .values.tolerations }}
tolerations: {{ toJson . }}
{{- end }}
{{- end }}

{{- define "assay.container" -}}
image: {{ include "assay.image" . | quote }}
imagePullPolicy: {{ .Values.image.pullPolicy }}
securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  capabilities: { drop: [ALL] }
{{- end }}

{{/* Copies a home's files from its Secret, where everything is readable by the group: dict "root" $ "script". */}}
{{- define "assay.init" -}}
- name: home
  {{- include "assay.container" .root | nindent 2 }}
  command: [/bin/sh, -euc]
  args:
    - |
      umask 077
      {{- .script | nindent 6 }}
  resources:
    requests: { cpu: 10m, memory: 32Mi }
    limits: { memory: 128Mi }
  volumeMounts:
    - { name: home, mountPath: /home/assay }
    - { name: secret, mountPath: /secret, readOnly: true }
{{- end }}

{{- define "assay.mounts" -}}
- { name: home, mountPath: /home/assay }
- { name: tmp, mountPath: /tmp }
{{- end }}

{{- define "assay.tmp" -}}
- name: tmp
  emptyDir: { medium: Memory, sizeLimit: 256Mi }
{{- end }}

{{/* Probes of a program that serves pages: dict "port" "live" "ready" "startupSeconds". */}}
{{- define "assay.probes" -}}
startupProbe:
  httpGet: { path: {{ .live }}, port: {{ .port }} }
  periodSeconds: 10
  failureThreshold: {{ div (add .startupSeconds 9) 10 }}
livenessProbe:
  httpGet: { path: {{ .live }}, port: {{ .port }} }
  periodSeconds: 15
  timeoutSeconds: 5
  failureThreshold: 4
readinessProbe:
  httpGet: { path: {{ .ready }}, port: {{ .port }} }
  periodSeconds: 3
  timeoutSeconds: 3
  failureThreshold: 2
{{- end }}

{{- define "assay.password" -}}
- name: PGPASSWORD
  valueFrom: { secretKeyRef: { name: {{ .Values.postgres.existingSecret | quote }}, key: password } }
{{- end }}

{{- define "assay.env" -}}
{{- range $name, $value := . }}
- { name: {{ $name }}, value: {{ $value | quote }} }
{{- end }}
{{- end }}

{{/* A claim: dict "root" $ "name" "storage". */}}
{{- define "assay.claim" -}}
metadata: { name: {{ .name }} }
spec:
  # One pod of the whole cluster, not one machine: two nodes must never run on one home.
  accessModes: [{{ .root.Values.storageAccessMode }}]
  {{- with .storage.className }}
  storageClassName: {{ . }}
  {{- end }}
  resources: { requests: { storage: {{ .storage.size }} } }
{{- end }}

{{/* The container of a chain node: dict "root" $ "values" "env". */}}
{{- define "assay.node" -}}
- name: node
  {{- include "assay.container" .root | nindent 2 }}
  args: [node]
  env:
    # Peers have private addresses.
    - { name: CMT_P2P_ADDR_BOOK_STRICT, value: 'false' }
    - name: ASSAY_MONIKER
      valueFrom: { fieldRef: { fieldPath: metadata.name } }
    {{- with .env }}{{ . | nindent 4 }}{{ end }}
    {{- with .values.env }}{{ include "assay.env" . | nindent 4 }}{{ end }}
  ports:
    - { name: rpc, containerPort: 8545 }
    - { name: ws, containerPort: 8546 }
    - { name: p2p, containerPort: 26656 }
    - { name: comet, containerPort: 26657 }
    - { name: metrics, containerPort: 6060 }
  {{- include "assay.probes" (dict "port" "rpc" "live" "/healthz" "ready" "/readyz" "startupSeconds" .root.Values.startupSeconds) | nindent 2 }}
  resources: {{ toJson .values.resources }}
  volumeMounts: {{- include "assay.mounts" . | nindent 4 }}
{{- end }}

{{/* Pods of a component as peers of a NetworkPolicy, and the rule that lets metrics be read. */}}
{{- define "assay.from" }}
- podSelector: { matchLabels: {{ include "assay.selector" . | fromYaml | toJson }} }
{{- end }}

{{- define "assay.scrape" }}
- from: [{ namespaceSelector: { matchLabels: {{ toJson .root.Values.networkPolicy.monitoring }} } }]
  ports: [{ port: {{ .port }} }]
{{- end }}
